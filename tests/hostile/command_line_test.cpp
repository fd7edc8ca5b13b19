// Words of the command line: too large, malformed, octal, empty, not UTF-8, very long, out of place.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "attack.h"
#include "support/catch.h"
#include "words.h"

using namespace gpubench::test;

namespace {

using Words = std::vector<std::string>;

/// Each value for each option of a command: a usage error that names the option.
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

/// Each value for an option whose values are words: a usage error that says what is unknown.
std::vector<Attack> unknown(const std::string& option, const Words& values) {
  std::vector<Attack> attacks = refused("", "plan", {"--" + option}, values);
  for (Attack& attack : attacks) {
    if (!attack.command.ends_with("''")) attack.words = "unknown " + option;
  }
  return attacks;
}

const Words kNoNumbers = {"",   " ",  "x",   "1.5",      "0x10", "1e3", "1 2",
                          "-1", "--", "nan", "\xd9\xa1", "\xff", "1\n2"};
const Words kTooLarge = {"9223372036854775808", "18446744073709551617", "-9223372036854775809",
                         "99999999999999999999999999999999", std::string(10000, '9')};
const Words kOctal = {"010", "00", "0777"};
const Words kNoNames = {
    "", " ", "x", "\x1b[31mred", "\xff\xfe", "cpu\ncpu", "\xe2\x80\xaetxt", std::string(100000, 'x')};
const Words kNoTimes = {"", "x", "-1s", "1y", "nan", "inf", "1e400s", "99999999999999999999h", "\xff", "1s1"};
const Words kNoShares = {
    "", "x", "-1", "nan", "inf", "-inf", "1e400", "%", "\xff", "0,1", std::string(5000, '1')};

const Words kCounts = {"--batch", "--epochs", "--warmup",     "--limit",
                       "--seed",  "--repeat", "--order-seed", "--threads"};

}  // namespace

TEST_CASE("counts that are no numbers are refused", "[command_line]") {
  withstand("command line", refused("", "plan", kCounts, kNoNumbers));
}

TEST_CASE("counts beyond what can be counted are refused, not clamped", "[command_line]") {
  withstand("command line", refused("M11: ", "plan", kCounts, kTooLarge));
  withstand("command line", refused("M11: ", "plan --min-epochs 2", {"--max-epochs"}, kTooLarge));
  withstand("command line", refused("M11: ", "operate", {"--repeat", "--threads", "--seed"}, kTooLarge));
  withstand("command line", refused("M11: ", "gpubench ab --vs", {"--rounds", "--min-rounds"}, kTooLarge));
}

TEST_CASE("a zero before a count does not make it octal", "[command_line]") {
  withstand("command line", refused("M11: ", "plan", kCounts, kOctal));
  withstand("command line", refused("M11: ", "operate", {"--repeat", "--threads"}, {"010"}));
  withstand("command line", refused("M11: ", "gpubench ab --vs", {"--rounds"}, {"010"}));
}

TEST_CASE("counts that nothing can hold are refused before work", "[command_line]") {
  withstand(
      "command line",
      {
          {"M11: a batch of 2^62 samples", 2, "--batch", "plan --batch 4611686018427387904"},
          {"M11: a batch in a list is too large", 2, "--batch", "plan --batch 32,9223372036854775808"},
          {"an empty place in a list of batches", 2, "--batch", "plan --batch 32,,64"},
          {"a list of fifty thousand batches", 2, "gpubench: ", "plan --batch $(many 50000 1,)1"},
          {"the same batch a thousand times", 2, "gpubench: ", "plan --batch $(many 1000 7,)7"},
          {"no epochs", 2, "--epochs", "plan --epochs 0"},
          {"nothing but warm-up", 2, "--warmup", "plan --epochs 3 --warmup 3"},
          {"no batch", 2, "--batch", "plan --batch 0"},
          {"no repetition", 2, "--repeat", "plan --repeat 0"},
          {"a billion threads", 2, "--threads", "plan --threads 1000000000"},
          {"2^31 threads", 2, "--threads", "plan --threads 2147483648"},
          {"at least more epochs than at most", 2, "--max-epochs 3", "plan --min-epochs 9 --max-epochs 3"},
      });
}

TEST_CASE("names of nothing are refused in one line", "[command_line]") {
  withstand("command line", refused("", "plan", {"--model", "--dataset", "--isolate"}, kNoNames));
  for (const char* option : {"protocol", "execution", "precision", "layout", "loader"})
    withstand("command line", unknown(option, kNoNames));
  // Only an engine knows devices and meters.
  withstand("command line",
            refused("", "gpubench --dry-run", {"--device", "--meter"}, {"", "x", "\x1b[31mred"}));
  withstand("command line", refused("", "plan", {"--sizes"},
                                    {"x", "=", "embedding", "embedding=", "embedding=x", "=5", "a=1,a=1",
                                     "embedding=99999999999999999999", "layers=-1", "\xff=1", "\x1b[2J=1"}));
}

TEST_CASE("times, shares and sizes that are none are refused", "[command_line]") {
  withstand("command line", refused("", "plan", {"--timeout", "--budget", "--soak"}, kNoTimes));
  withstand("command line", refused("", "plan", {"--idle", "--energy-window"}, kNoTimes));
  withstand("command line", refused("", "operate --op relu", {"--sample", "--time"}, kNoTimes));
  withstand("command line", refused("", "plan", {"--target-halfwidth"}, kNoShares));
  withstand("command line", refused("", "plan", {"--learning-rate"}, kNoShares));
  withstand("command line",
            refused("", "plan", {"--memory-limit"},
                    {"", "x", "-1G", "1Q", "99999999999999999999G", "nan", "1e400", "G", "\xff"}));
  withstand("command line", refused("", "gpubench compare $RESULTS/alpha-cpu.json $RESULTS/beta-cuda.json",
                                    {"--gate", "--equal-within", "--price-kwh"}, kNoShares));
}

TEST_CASE("options of operations are checked before anything is timed", "[command_line]") {
  withstand("command line",
            refused("", "operate", {"--op", "--dtype", "--direction", "--cache", "--set", "--protocol"},
                    {"", "\x1b[31m"}));
  withstand("command line", refused("", "operate", {"--op"}, {"x", "\xff", std::string(100000, 'x')}));
  withstand("command line",
            refused("", "operate --op relu", {"--shape"},
                    {"", "x", "0", "-1", "1x", "x1", "1xx1", "1e9", "99999999999999999999",
                     "1000000000x1000000000x1000000000", "1 axis=99", "1 axis=x", "1 bogus=1", "\xff"}));
  withstand("command line",
            refused("", "operate", {"--sweep"},
                    {"", "x", "1:2", "1:2:3", "2:1:*2", "1:9:*1", "1:9:+0", "1:9:*0", "1:9:*-2",
                     "1:99999999999999999999:*2", "0:9:*2", "-1:9:+1", "1:1000000000:+1"}));
}

TEST_CASE("other subcommands refuse what they cannot use", "[command_line]") {
  withstand(
      "command line",
      {
          {"no such subcommand", 2, "frob", "gpubench frob"},
          {"escapes as a subcommand", 2, "unknown argument", R"~(gpubench "$(printf '\033[31mred')")~"},
          {"bytes that are no UTF-8 as a subcommand", 2, "unknown argument",
           R"~(gpubench "$(printf '\377\376')")~"},
          {"a word of 100,000 letters", 2, "unknown argument", R"~(gpubench "$(many 100000 x)")~"},
          {"an empty word", 2, "gpubench: ", "gpubench ''"},
          {"an option that does not exist", 2, "--frob", "gpubench --frob"},
          {"an option of a minus alone", 2, "gpubench: ", "gpubench -"},
          {"a double minus and a word", 2, "gpubench: ", "gpubench -- frob"},
          {"an option without its value", 2, "--batch", "gpubench --batch"},
          {"a hundred thousand options", 2, "gpubench: ", "gpubench $(yes -- --bogus | head -n 20000)"},
          {"one option ten thousand times", 2,
           "gpubench: ", "gpubench list $(yes -- --data-dir=x | head -n 10000) x"},
          {"list of an unknown kind", 2, "frob", "gpubench list frob"},
          {"list of an escape", 2, "unknown kind", R"~(gpubench list "$(printf '\033]0;title\007')")~"},
          {"suite without a name", 2, "suite", "gpubench suite"},
          {"suite of an escape", 2, "unknown suite", R"~(gpubench suite "$(printf '\033[31m')")~"},
          {"suite show without a name", 2, "name", "gpubench suite show"},
          {"suite show of an unknown one", 2, "frob", "gpubench suite show frob"},
          {"data without a word", 2, "gpubench: ", "gpubench data"},
          {"data fetch of an unknown set", 2, "frob", "gpubench data fetch frob"},
          {"data verify of an unknown set", 2, "frob", "gpubench data verify frob"},
          {"data fetch of an escape", 2, "unknown dataset",
           R"~(gpubench data fetch "$(printf '\033[31m')")~"},
          {"data verify of a text right to left", 2, "unknown dataset",
           R"~(gpubench data verify "$(printf '\342\200\256txt')")~"},
          {"show without a file", 2, "file", "gpubench show"},
          {"show with an empty name", 2, "gpubench: ", "gpubench show ''"},
          {"show of a file that is not there", 3, "nofile", "gpubench show nofile"},
          {"show of two files", 2,
           "gpubench: ", "gpubench show $RESULTS/alpha-cpu.json $RESULTS/beta-cuda.json"},
          {"show in an unknown format", 2, "--format", "gpubench show --format frob $RESULTS/alpha-cpu.json"},
          {"show in a format of escapes", 2, "--format",
           R"~(gpubench show --format "$(printf '\033[31m')" $RESULTS/alpha-cpu.json)~"},
          {"show with a negative price", 2, "--price-kwh",
           "gpubench show --price-kwh=-1 $RESULTS/alpha-cpu.json"},
          {"show with an infinite price", 2, "--price-kwh",
           "gpubench show --price-kwh inf $RESULTS/alpha-cpu.json"},
          {"compare without files", 2, "file", "gpubench compare"},
          {"compare of one file", 2, "gpubench: ", "gpubench compare $RESULTS/alpha-cpu.json"},
          {"compare with an unknown publication", 2, "published:frob",
           "gpubench compare $RESULTS/alpha-cpu.json --against published:frob"},
          {"compare with an empty publication", 2,
           "published:", "gpubench compare $RESULTS/alpha-cpu.json --against published:"},
          {"compare with a folder's way out", 2,
           "published:", "gpubench compare $RESULTS/alpha-cpu.json --against published:../../etc/passwd"},
          {"compare figures of an unknown kind", 2, "--figures",
           "gpubench compare --figures frob --format tsv $RESULTS/alpha-cpu.json $RESULTS/beta-cuda.json"},
          {"report to an unknown kind of file", 2, "-o", "gpubench report $RESULTS/alpha-cpu.json -o r.exe"},
          {"report to no name", 2, "-o", "gpubench report $RESULTS/alpha-cpu.json -o ''"},
          {"merge without files", 2, "file", "gpubench merge"},
          {"validate without files", 2, "file", "gpubench validate"},
          {"migrate without a file", 2, "file", "gpubench migrate"},
          {"redact without a file", 2, "file", "gpubench redact"},
          {"energy without a word", 2, "gpubench: ", "gpubench energy"},
          {"energy import without files", 2, "file", "gpubench energy import"},
          {"energy import with an endless offset", 2, "--clock-offset",
           "gpubench energy import $RESULTS/alpha-cpu.json $POWER/nvidia-smi.csv --clock-offset 1e400s"},
          {"energy import with an offset that is no time", 2, "--clock-offset",
           "gpubench energy import $RESULTS/alpha-cpu.json $POWER/nvidia-smi.csv --clock-offset x"},
          {"energy import with a zone of 99 hours", 2, "--time-zone",
           "gpubench energy import $RESULTS/alpha-cpu.json $POWER/nvidia-smi.csv --time-zone +99:00"},
          {"energy import with an unknown format", 2, "--format",
           "gpubench energy import $RESULTS/alpha-cpu.json $POWER/nvidia-smi.csv --format frob"},
          {"energy import with an unknown scope", 2, "--scope",
           "gpubench energy import $RESULTS/alpha-cpu.json $POWER/nvidia-smi.csv --scope frob"},
          {"energy import with an unknown method", 2, "--energy-method",
           "gpubench energy import $RESULTS/alpha-cpu.json $POWER/nvidia-smi.csv --energy-method frob"},
          {"ab without a second side", 2, "--vs", "gpubench ab --model mlp"},
          {"ab with twenty sides", 0, "H: ", "gpubench ab --model mlp $(yes -- --vs | head -n 20) --dry-run"},
          {"ab with no rounds", 2, "--rounds", "gpubench ab --model mlp --vs --rounds 0"},
          {"ab with a program that is not there", 2, "--program",
           "gpubench ab --model mlp --vs --program ./nothing"},
          {"ab with a folder as program", 2, "--program", "gpubench ab --model mlp --vs --program ."},
          {"ab with a LibTorch that is not there", 2, "--torch",
           "gpubench ab --model mlp --vs --torch ./nothing"},
          {"ab with an unfinished quotation", 5, "side B failed 3 times in a row",
           R"~(gpubench ab --model mlp --dataset synthetic --limit 64 --device cpu -o ab --vs --command '"unfinished' --figure /x; s=$?; rm -f ab*; exit $s)~"},
          {"ab with an empty command", 2, "--command",
           R"~(gpubench ab --model mlp --vs --command '' --figure /x)~"},
          {"ab with a pointer that is none", 2, "--figure",
           R"~(gpubench ab --model mlp --vs --command true --figure x)~"},
          {"selftest of an unknown check", 2, "--only", "gpubench selftest --only frob -o -"},
          {"selftest of an escape", 2, "--only", R"~(gpubench selftest --only "$(printf '\033[31m')" -o -)~"},
          {"selftest on an unknown device", 2, "--device", "gpubench selftest --device frob"},
          {"peak on an unknown device", 2, "--device", "gpubench peak --device frob"},
          {"peak on a device of escapes", 2, "--device",
           R"~(gpubench peak --device "$(printf '\033[31m')")~"},
          {"a worker with an empty request", 0, "", "gpubench worker < /dev/null"},
          {"completion of nothing", 0, "", "gpubench complete"},
          {"completion of an escape", 0, "", R"~(gpubench complete "$(printf '\033[31m')")~"},
          {"completion of 100,000 letters", 0, "", R"~(gpubench complete --model "$(many 100000 x)")~"},
          {"a sum of two replies to --model", 2, "--model", "plan --model mlp,frob"},
          {"M12: an empty name to resume", 2, "--resume", "gpubench --resume ''"},
          {"M12: an empty name to resume, for operations", 2, "--resume", "gpubench ops --resume ''"},
          {"M12: an empty name to resume, for sides", 2, "--resume", "gpubench ab --resume ''"},
          {"M12: an empty name of the result", 2, "--output", "train -o ''"},
          {"M12: an empty folder of data", 2, "--data-dir", "plan --data-dir ''"},
          {"M12: an empty name of the power log", 2, "--power-log", "plan --power-log ''"},
          {"M12: an empty folder of traces", 2, "--trace", "plan --trace ''"},
          {"resume of a folder", 3, "give --resume a journal", "gpubench --resume ."},
          {"version with more words", 2, "frob", "gpubench --version frob"},
      });
}

TEST_CASE("plans of more cases than anybody can run are refused at once", "[command_line]") {
  withstand("command line",
            {
                {"M14: a billion repetitions, asked about", 2, "--repeat",
                 "ulimit -v 4000000; plan --repeat 1000000000"},
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

TEST_CASE("help is help wherever it stands", "[command_line]") {
  std::vector<Attack> attacks;
  for (const char* command :
       {"",       "suite",         "suite list", "suite show",  "list",  "doctor",  "selftest", "peak",
        "ops",    "data",          "data fetch", "data verify", "ab",    "compare", "report",   "show",
        "energy", "energy import", "validate",   "migrate",     "merge", "redact"}) {
    attacks.push_back({fmt::format("help of '{}'", command), 0, "Usage: gpubench",
                       fmt::format("gpubench {} --help", command)});
    attacks.push_back({fmt::format("help of '{}' a thousand times", command), 0, "Usage: gpubench",
                       fmt::format("gpubench {} $(yes -- --help | head -n 1000)", command)});
  }
  withstand("command line", attacks);
}
