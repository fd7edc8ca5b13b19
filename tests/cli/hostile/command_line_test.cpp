// Command lines with numbers that are too large or malformed, and with empty, non-UTF-8, long or misplaced
// words.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "attack.h"
#include "support/catch.h"
#include "words.h"

namespace gpubench::test::command_line_test {

namespace {

using Words = std::vector<std::string>;

/// Returns attacks that expect a usage error naming the option, for each option and value.
std::vector<Attack> refused(const std::string& tag, const std::string& command, const Words& options,
                            const Words& values) {
  std::vector<Attack> attacks;
  for (const std::string& option : options) {
    for (const std::string& value : values) {
      attacks.push_back({fmt::format("{}{} {}", tag, option, shown(value)), 2, option,
                         fmt::format("{} {} {}", command, option, quoted(value))});
    }
  }
  return attacks;
}

const Words kBadCounts = {"",
                          " ",
                          "x",
                          "1.5",
                          "0x10",
                          "-1",
                          "\xff",
                          "1\n2",
                          "010",
                          "1e3",
                          "9223372036854775808",
                          std::string(10000, '9')};
const std::string kEscape = "\x1b[31mred";

}  // namespace

// See also tests/unit/app/command_line_test.cpp and the fuzz target quantity.

TEST_CASE("a count must be a decimal 64-bit integer", "[command_line]") {
  withstand("command line", refused("M11: ", "plan", {"--epochs"}, kBadCounts));
  const Words too_large = {"9223372036854775808"};
  withstand("command line",
            refused("M11: ", "plan",
                    {"--batch", "--warmup", "--max-samples", "--seed", "--repeat", "--threads"}, too_large));
  withstand("command line", refused("M11: ", "operate", {"--repeat", "--threads", "--seed"}, too_large));
  withstand("command line", refused("M11: ", "gpubench ab --vs", {"--rounds", "--min-rounds"}, too_large));
}

TEST_CASE("excessive counts are errors before any work", "[command_line]") {
  withstand("command line",
            {
                {"M11: a batch of 2^62 samples", 2, "--batch", "plan --batch 4611686018427387904"},
                {"M11: a batch in a list is too large", 2, "--batch", "plan --batch 32,9223372036854775808"},
                {"a list of fifty thousand batches", 2, "gpubench: ", "plan --batch $(many 50000 1,)1"},
                {"a billion threads", 2, "--threads", "plan --threads 1000000000"},
                {"2^31 threads", 2, "--threads", "plan --threads 2147483648"},
            });
}

TEST_CASE("unknown names are errors of one line", "[command_line]") {
  withstand("command line",
            refused("", "plan", {"--model"},
                    {" ", kEscape, "\xff\xfe", "cpu\ncpu", "\xe2\x80\xaetxt", std::string(100000, 'x')}));
  withstand("command line", refused("", "plan", {"--dataset"}, {kEscape}));
  std::vector<Attack> unknown;
  const Words named_values = {"execution", "precision", "layout", "loader"};
  for (const std::string& name : named_values)
    unknown.push_back({"unknown " + name, 2, "unknown " + name, "plan --" + name + " " + quoted(kEscape)});
  withstand("command line", unknown);
  // Only a real engine checks devices and meters.
  withstand("command line", refused("", "gpubench --dry-run", {"--device", "--meter"}, {kEscape}));
  withstand("command line", refused("", "plan", {"--model-arg"},
                                    {"x", "=5", "a=1,a=1", "embedding=99999999999999999999", "\x1b[2J=1"}));
}

TEST_CASE("invalid times, fractions and sizes are errors", "[command_line]") {
  withstand("command line", refused("", "plan", {"--timeout"},
                                    {"", "x", "-1s", "nan", "1e400s", "99999999999999999999h", "\xff"}));
  withstand(
      "command line",
      refused("", "plan", {"--budget", "--min-time", "--target-ci", "--learning-rate", "--memory-limit"},
              {"nan", "1e400", "\xff"}));
  withstand("command line", refused("", "operate --op relu", {"--sample", "--time"}, {"nan"}));
  withstand("command line",
            refused("", "gpubench compare $RESULTS/alpha-cpu.json $RESULTS/beta-cuda.json",
                    {"--gate", "--equivalence-margin", "--price-kwh"}, {"nan", "-1", "\xff"}));
}

TEST_CASE("options of operations are checked before any measurement", "[command_line]") {
  withstand("command line",
            refused("", "operate", {"--op", "--dtype", "--direction", "--cache", "--set", "--protocol"},
                    {kEscape}));
  withstand("command line",
            refused("", "operate --op relu", {"--shape"}, {"", "0", "1x", "1 bogus=1", "\xff"}));
  // Only a real engine checks the shapes of an operation.
  withstand("command line", refused("", "gpubench ops -q --device cpu --op relu", {"--shape"},
                                    {"1000000000x1000000000x1000000000", "1 axis=99"}));
  withstand("command line", refused("", "operate", {"--sweep"}, {"", "1:9:*1", "1:99999999999999999999:*2"}));
}

TEST_CASE("other commands reject invalid arguments", "[command_line]") {
  withstand(
      "command line",
      {
          {"no such subcommand", 2, "frob", "gpubench frob"},
          {"escapes as a subcommand", 2, "unknown command", R"~(gpubench "$(printf '\033[31mred')")~"},
          {"invalid UTF-8 as a subcommand", 2, "unknown command", R"~(gpubench "$(printf '\377\376')")~"},
          {"a word of 100,000 letters", 2, "unknown command", R"~(gpubench "$(many 100000 x)")~"},
          {"an option that does not exist", 2, "--frob", "gpubench --frob"},
          {"an option of a minus alone", 2, "gpubench: ", "gpubench -"},
          {"one option ten thousand times", 2,
           "gpubench: ", "gpubench list $(yes -- --data-dir=x | head -n 10000) x"},
          {"list of an escape", 2, "unknown part", R"~(gpubench list "$(printf '\033]0;title\007')")~"},
          {"suite of an escape", 2, "unknown suite", R"~(gpubench suite "$(printf '\033[31m')")~"},
          {"data fetch of an escape", 2, "unknown dataset",
           R"~(gpubench data fetch "$(printf '\033[31m')")~"},
          {"data verify of a text right to left", 2, "unknown dataset",
           R"~(gpubench data verify "$(printf '\342\200\256txt')")~"},
          {"show with an empty name", 2, "gpubench: ", "gpubench show ''"},
          {"show in a format of escapes", 2, "--format",
           R"~(gpubench show --format "$(printf '\033[31m')" $RESULTS/alpha-cpu.json)~"},
          {"compare with a folder's way out", 2,
           "published:", "gpubench compare $RESULTS/alpha-cpu.json --baseline published:../../etc/passwd"},
          {"compare figures of an unknown kind", 2, "--values",
           "gpubench compare --values frob --format tsv $RESULTS/alpha-cpu.json $RESULTS/beta-cuda.json"},
          {"report to an unknown kind of file", 2, "-o", "gpubench report $RESULTS/alpha-cpu.json -o r.exe"},
          {"import-power with an endless offset", 2, "--clock-offset",
           "gpubench file import-power $RESULTS/alpha-cpu.json $POWER/nvidia-smi.csv --clock-offset 1e400s"},
          {"import-power with a zone of 99 hours", 2, "--time-zone",
           "gpubench file import-power $RESULTS/alpha-cpu.json $POWER/nvidia-smi.csv --time-zone +99:00"},
          {"ab with twenty variants", 0,
           "H: ", "gpubench ab --model mlp $(yes -- --vs | head -n 20) --dry-run"},
          {"ab with a missing program", 2, "--program", "gpubench ab --model mlp --vs --program ./nothing"},
          {"ab with a folder as program", 2, "--program", "gpubench ab --model mlp --vs --program ."},
          {"ab with an unfinished quotation", 5, "variant B failed 3 times in a row",
           R"~(gpubench ab --model mlp --dataset synthetic --max-samples 64 --device cpu -o ab --vs --command '"unfinished' --figure /x; s=$?; rm -f ab*; exit $s)~"},
          {"ab with an empty command", 2, "--command",
           R"~(gpubench ab --model mlp --vs --command '' --figure /x)~"},
          {"selftest of an escape", 2, "--only", R"~(gpubench selftest --only "$(printf '\033[31m')" -o -)~"},
          {"peak on a device of escapes", 2, "--device",
           R"~(gpubench peak --device "$(printf '\033[31m')")~"},
          {"a worker with an empty request", 0, "", "gpubench worker < /dev/null"},
          {"completion of an escape", 0, "", R"~(gpubench complete "$(printf '\033[31m')")~"},
          {"completion of 100,000 letters", 0, "", R"~(gpubench complete --model "$(many 100000 x)")~"},
          {"resume of a folder", 3, "gpubench: ", "gpubench --resume ."},
          {"version with more words", 2, "frob", "gpubench --version frob"},
      });
}

TEST_CASE("plans with excessive numbers of cases are errors", "[command_line]") {
  withstand("command line",
            {
                {"M14: a billion repetitions", 2, "--repeat", "ulimit -v 4000000; train --repeat 1000000000"},
                {"M14: a billion repetitions of a suite", 2, "--repeat",
                 "ulimit -v 4000000; gpubench suite smoke --repeat 1000000000 --dry-run"},
                {"M14: a billion repetitions of an operation", 2, "--repeat",
                 "ulimit -v 4000000; gpubench ops --op relu --repeat 1000000000"},
                {"M14: a billion rounds", 2, "--rounds",
                 "ulimit -v 4000000; gpubench ab --model mlp --vs --rounds 1000000000 --dry-run"},
                {"M14: lists whose product is large", 2, "rows",
                 "ulimit -v 4000000; plan --batch $(seq -s, 1 300) --repeat 100000"},
            });
}

TEST_CASE("--help may be repeated", "[command_line]") {
  std::vector<Attack> attacks;
  for (const char* command : {"", "ops", "file import-power"}) {
    attacks.push_back({fmt::format("help of '{}' a thousand times", command), 0, "Usage: gpubench",
                       fmt::format("gpubench {} $(yes -- --help | head -n 1000)", command)});
  }
  withstand("command line", attacks);
}

}  // namespace gpubench::test::command_line_test
