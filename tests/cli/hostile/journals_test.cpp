// Journals and suites that others wrote: what --resume and suite read, and what they may not make the program
// do.

#include <string>
#include <vector>

#include "attack.h"
#include "sample.h"
#include "support/catch.h"

namespace gpubench::test::journals_test {

namespace {

/// The plan of a journal, without any case: the whole run is to be done.
std::string plan_line() { return run_journal().substr(0, run_journal().find('\n') + 1); }

/// A journal whose plan was started with these words.
std::string planned_with(const std::vector<std::string>& words) {
  return with(plan_line(), "/tool/arguments", words) + "\n";
}

std::vector<std::string> usual(const std::vector<std::string>& more) {
  std::vector<std::string> words{"--model", "mlp",      "--dataset", "synthetic", "--max-samples",
                                 "4",       "--epochs", "2",         "--device",  "cpu",
                                 "-q",      "--repeat", "2",         "-o",        "run.json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Attack resumed(const std::string& what, int code, const std::string& words, const std::string& journal,
               const std::string& makes = "") {
  return {what,
          code,
          words,
          "GPUBENCH_WORKER_PREFIX=\"$STAND_IN\" gpubench --resume run.journal.jsonl",
          "",
          makes,
          {{"run.journal.jsonl", journal}}};
}

/// A journal that would have the program touch a file that is none of the run's.
Attack reaching_out(const std::string& option, const std::vector<std::string>& words) {
  Attack attack = resumed("H4: a journal with " + option, 2, option.substr(0, option.find('=')),
                          planned_with(usual(words)));
  attack.files["victim"] = "alias ll='ls -l'\n";
  attack.command = "mkdir -p victims 2>/dev/null; " + attack.command;
  attack.prepare = "mkdir victims";
  return attack;
}

}  // namespace

TEST_CASE("journals that cannot be used are refused and left as they are", "[journals]") {
  const std::string first = plan_line();
  withstand("journals",
            {
                resumed("an empty journal", 3, "run.journal.jsonl", ""),
                resumed("a journal of NULs", 3, "run.journal.jsonl", std::string(4096, '\0')),
                resumed("a result instead of a journal", 3, "run.journal.jsonl", run_document()),
                resumed("a journal of two plans", 3, "the run is planned already", first + first),
                resumed("a journal with bytes that are no UTF-8", 3, "run.journal.jsonl",
                        first + "{\"event\":\"\xff\xfe\"}\n" + first),
                resumed("a journal of an unknown event", 3, "run.journal.jsonl",
                        first + "{\"event\":\"frob\x1b\"}\n" + "{}\n"),
                resumed("a journal of an unknown version", 3, "run.journal.jsonl",
                        with(first, "/journal_version", 99) + "\n"),
                resumed("a journal of operations as one of a run", 3, "run.journal.jsonl",
                        with(first, "/plan/kind", "table") + "\n"),
                resumed("M4: a million levels in a journal's plan", 3, "run.journal.jsonl",
                        "{\"event\":\"planned\",\"journal_version\":2,\"plan\":" + times(1000000, "{\"a\":") +
                            "\n"),
                resumed("a case finished that is not planned", 3, "run.journal.jsonl",
                        first + R"({"event":"finished","position":99,"record":{}})"
                                "\n{}\n"),
                resumed("a case finished at position 2^63", 3, "run.journal.jsonl",
                        first + R"({"event":"finished","position":9223372036854775808,"record":{}})"
                                "\n{}\n"),
                resumed("arguments that are no list", 3, "run.journal.jsonl",
                        with(first, "/tool/arguments", "--help") + "\n"),
                resumed("a line of 20 MB", 3, "run.journal.jsonl",
                        "{\"event\":\"" + std::string(20000000, 'x') + "\"}\n{}\n"),
                resumed("a million lines", 3, "run.journal.jsonl", first + times(1000000, "{}\n")),
                resumed("M14: 100,000 groups of a plan", 3, "run.journal.jsonl",
                        with(first, "/rows", Json::parse("[" + times(100000, "{},") + "{}]")) + "\n"),
            });
}

TEST_CASE("a journal's words do what a run's words may do, and nothing else", "[journals]") {
  withstand(
      "journals",
      {
          resumed("Low: --help in a journal", 3, "run.journal.jsonl", planned_with({"--help"})),
          resumed("another subcommand in a journal", 3, "run.journal.jsonl",
                  planned_with({"data", "fetch", "mnist"})),
          resumed("sides in a journal", 3, "run.journal.jsonl",
                  planned_with({"ab", "--vs", "--command", "touch victim"})),
          resumed("escapes in a journal's words", 3, "run.journal.jsonl",
                  planned_with(usual({"--\x1b[31m"}))),
          resumed("--resume of another journal", kSoundOrRefused, "",
                  planned_with(usual({"--resume", "other.journal.jsonl"})), "run.json run.journal.jsonl"),
          resumed("a dry run in a journal", 3, "run.journal.jsonl", planned_with(usual({"--dry-run"}))),
          resumed("M14: a billion repetitions in a journal", 3, "run.journal.jsonl",
                  planned_with({"--model", "mlp", "--repeat", "1000000000"})),
          resumed("another plan in a journal's words than in its plan", 2, "this run is another one",
                  planned_with(usual({"--batch", "7"}))),
          reaching_out("--power-log", {"--power-log", "victim"}),
          reaching_out("--profile", {"--profile=victims"}),
          reaching_out("--data-dir", {"--data-dir", "victims"}),
          reaching_out("--meter", {"--meter", "replay:victim"}),
          {"H4: a journal with --data-dir, given once more, its peak measured again", 0, "mlp",
           "GPUBENCH_WORKER_PREFIX=\"$STAND_IN\" gpubench -q --resume run.json --data-dir data",
           "mkdir data; train --data-dir data -o run.json; echo "
           "'{\"event\":\"peak\",\"device\":{\"name\":\"cpu\",\"peak_flops_per_second\":{\"fp32\":1e15}}}' "
           ">> run.journal.jsonl",
           "run.json run.journal.jsonl"},
          resumed("H4: a journal with another output", kSoundOrRefused, "",
                  planned_with(usual({"--output", "victim"})), "run.json run.journal.jsonl"),
      });
}

TEST_CASE("what is no journal is not taken for one", "[journals]") {
  withstand(
      "journals",
      {
          {"M6: a pipe as a journal", 3, "pipe.journal.jsonl", "gpubench --resume pipe.journal.jsonl",
           "mkfifo pipe.journal.jsonl"},
          {"M6: a pipe as the journal of a result",
           3,
           "run.journal.jsonl",
           "gpubench --resume run.json",
           "mkfifo run.journal.jsonl",
           "",
           {{"run.json", run_document()}}},
          {"M6: a pipe as the journal of a new run", 2, "run.journal.jsonl", "train -o run.json",
           "mkfifo run.journal.jsonl"},
          {"M6: a pipe as the lock of a new run", 0, "", "train -o run.json",
           "for n in .lock .run.json.lock run.json.lock run.lock run.journal.jsonl.lock; do mkfifo $n; done",
           "run.json run.journal.jsonl"},
          {"a link in a circle as a journal", 3, "loop", "gpubench --resume loop.journal.jsonl",
           "ln -s loop.journal.jsonl loop.journal.jsonl"},
          {"a sparse terabyte as a journal", 3, "big.journal.jsonl",
           "ulimit -v 6000000; gpubench --resume big.journal.jsonl", "sparse big.journal.jsonl"},
          {"operations resumed as a run", 3, "ops", "gpubench --resume ops.json",
           "operate --op relu -o ops.json"},
          {"a run resumed as operations", 3, "run", "operate --resume run.json", "train -o run.json"},
          {"a run resumed as sides", 2, "run.json", "gpubench ab --resume run.json", "train -o run.json"},
          {"a run resumed with another plan", 2, "this run is another one",
           "train --resume run.json --batch 7", "train -o run.json"},
          {"a run whose result was lost", 0, "",
           "GPUBENCH_WORKER_PREFIX=$STAND_IN gpubench -q --resume run.json", "train -o run.json; rm run.json",
           "run.json run.journal.jsonl"},
          {"a run whose result is a folder now", 2, "run.json",
           "GPUBENCH_WORKER_PREFIX=$STAND_IN gpubench -q --resume run.json",
           "train -o run.json; rm run.json; mkdir run.json"},
      });
}

namespace {

Attack suite(const std::string& what, const std::string& text, const std::string& words = "bad.json") {
  return {what, 2, words, "ulimit -v 6000000; plan suite ./bad.json", "", "", {{"bad.json", text}}};
}

}  // namespace

TEST_CASE("suites that cannot be used are refused in one line", "[journals]") {
  withstand(
      "suites",
      {
          suite("an empty suite", ""),
          suite("a suite with an unknown field", R"({"frob": 1, "groups": []})"),
          suite("a group that is null", R"({"summary": "y", "groups": [null]})"),
          suite("a model of escapes", "{\"summary\": \"y\", \"groups\": [{\"model\": [\"\\u001b[31m\"]}]}",
                "unknown model"),
          suite("M11: a batch of 2^63",
                R"({"summary": "y", "groups": [{"model": ["mlp"], "batch_size": [9223372036854775808]}]})"),
          suite("a path as an option of a group",
                R"({"summary": "y", "groups": [{"model": ["mlp"], "power_log": "victim"}]})"),
          suite("a billion repetitions",
                R"({"summary": "y", "groups": [{"model": ["mlp"], "repeat": 1000000000}]})"),
          suite("M4: a million levels", times(1000000, "[")),
          suite("M14: 100,000 groups", R"({"summary": "y", "groups": [)" +
                                           times(100000, R"({"model": ["mlp"]},)") +
                                           R"({"model": ["mlp"]}]})"),
          suite("M14: a list of 100,000 batches",
                R"({"summary": "y", "groups": [{"model": ["mlp"], "batch_size": [)" + times(100000, "32,") +
                    "32]}]}"),
          suite("a million empty groups", R"({"summary": "y", "groups": [)" + times(1000000, "{},") + "{}]}"),
          {"M6: a pipe as a suite", 2, "pipe", "plan suite ./pipe", "mkfifo pipe"},
          {"M6: a pipe as a suite to show", 2, "pipe", "gpubench suite show ./pipe", "mkfifo pipe"},
          {"a sparse terabyte as a suite", 2, "big.json", "ulimit -v 6000000; plan suite ./big.json",
           "sparse big.json"},
          {"M6: a pipe among the user's suites, list", 0, "smoke", "gpubench suite list",
           "mkdir -p $HOME/gpubench/suites; mkfifo $HOME/gpubench/suites/pipe.json"},
          {"a broken suite among the user's, list", 0, "smoke", "gpubench suite list",
           "mkdir -p $HOME/gpubench/suites; echo '{' > $HOME/gpubench/suites/x.json"},
          {"the user's suites are a link in a circle", 0, "smoke", "gpubench suite list",
           "mkdir -p $HOME/gpubench; ln -s suites $HOME/gpubench/suites"},
          {"the user's suites are a file", 0, "smoke", "gpubench suite list",
           "mkdir -p $HOME/gpubench; echo > $HOME/gpubench/suites"},
          {"Low: a suite whose summary has escapes, list", 0, "evil", "gpubench suite list",
           R"(mkdir -p $HOME/gpubench/suites; printf '{"summary":"\\u001b[31mred\\u202etxt","groups":[{"model":["mlp"]}]}' > $HOME/gpubench/suites/evil.json)"},
          {"Low: a suite whose name has escapes, list", 0, "smoke", "gpubench suite list",
           R"(mkdir -p $HOME/gpubench/suites; printf '{"summary":"y","groups":[{"model":["mlp"]}]}' > "$HOME/gpubench/suites/$(printf '\033[31m').json")"},
          {"Low: a suite whose file's name has escapes, as an unknown one", 2, "unknown suite",
           "gpubench suite frob",
           R"(mkdir -p $HOME/gpubench/suites; printf '{"summary":"y","groups":[{"model":["mlp"]}]}' > "$HOME/gpubench/suites/$(printf 'a\033[31m').json")"},
      });
}

}  // namespace gpubench::test::journals_test
