// Journals and suites that others wrote: what --resume and suite read, and what they may not make the program
// do.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "attack.h"
#include "sample.h"
#include "support/catch.h"

using namespace gpubench::test;

namespace {

/// The plan of a journal, without any case: the whole run is to be done.
std::string plan_line() { return run_journal().substr(0, run_journal().find('\n') + 1); }

/// A journal whose plan was started with these words.
std::string planned_with(const std::vector<std::string>& words) {
  return with(plan_line(), "/tool/arguments", words) + "\n";
}

std::vector<std::string> usual(const std::vector<std::string>& more) {
  std::vector<std::string> words{"--model", "mlp",      "--dataset", "synthetic", "--limit",
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
  attack.command = "unset GPUBENCH_BASE_URL; mkdir -p victims 2>/dev/null; " + attack.command;
  attack.prepare = "mkdir victims";
  return attack;
}

}  // namespace

TEST_CASE("journals that cannot be used are refused and left as they are", "[journals]") {
  const std::string& journal = run_journal();
  const std::string first = plan_line();
  withstand(
      "journals",
      {
          resumed("an empty journal", 3, "run.journal.jsonl", ""),
          resumed("a journal of an empty line", 3, "run.journal.jsonl", "\n"),
          resumed("a journal of NULs", 3, "run.journal.jsonl", std::string(4096, '\0')),
          resumed("a journal of escapes", 3, "run.journal.jsonl", "\x1b[2J\x1b]0;owned\x07\n"),
          resumed("a result instead of a journal", 3, "run.journal.jsonl", run_document()),
          resumed("a journal without its plan", 3, "run.journal.jsonl", journal.substr(first.size())),
          resumed("a journal cut within its plan", 3, "run.journal.jsonl", first.substr(0, first.size() / 2)),
          resumed("a journal of two plans", 3, "the run is planned already", first + first),
          resumed("a journal with bytes that are no UTF-8", 3, "run.journal.jsonl",
                  first + "{\"event\":\"\xff\xfe\"}\n" + first),
          resumed("a journal of an unknown event", 3, "run.journal.jsonl",
                  first + "{\"event\":\"frob\x1b\"}\n" + "{}\n"),
          resumed("a journal of an event without a name", 3, "run.journal.jsonl", first + "{}\n{}\n"),
          resumed("a journal of lists", 3, "run.journal.jsonl", "[]\n[]\n"),
          resumed("a journal of nulls", 3, "run.journal.jsonl", "null\nnull\n"),
          resumed("a journal of an unknown version", 3, "run.journal.jsonl",
                  with(first, "/journal_version", 99) + "\n"),
          resumed("a journal of a version as text", 3, "run.journal.jsonl",
                  with(first, "/journal_version", "1") + "\n"),
          resumed("a journal of an unknown kind", 3, "run.journal.jsonl",
                  with(first, "/kind", "frob") + "\n"),
          resumed("a journal of operations as one of a run", 3, "run.journal.jsonl",
                  with(first, "/kind", "ops") + "\n"),
          resumed("M4: a journal of a million levels", 3, "run.journal.jsonl", times(1000000, "[") + "\n"),
          resumed("M4: a million levels in a journal's plan", 3, "run.journal.jsonl",
                  "{\"event\":\"planned\",\"kind\":\"run\",\"plan\":" + times(1000000, "{\"a\":") + "\n"),
          resumed("M4: a million levels in a second line", 3, "run.journal.jsonl",
                  first + times(1000000, "[") + "\n{}\n"),
          resumed("M4: 100,000 levels that end", 3, "run.journal.jsonl",
                  times(100000, "[") + times(100000, "]") + "\n"),
          resumed("a case finished that is not planned", 3, "run.journal.jsonl",
                  first + R"({"event":"finished","position":99,"record":{}})"
                          "\n{}\n"),
          resumed("a case finished at position -1", 3, "run.journal.jsonl",
                  first + R"({"event":"finished","position":-1,"record":{}})"
                          "\n{}\n"),
          resumed("a case finished at position 2^63", 3, "run.journal.jsonl",
                  first + R"({"event":"finished","position":9223372036854775808,"record":{}})"
                          "\n{}\n"),
          resumed("a case finished at position 0.5", 3, "run.journal.jsonl",
                  first + R"({"event":"finished","position":0.5,"record":{}})"
                          "\n{}\n"),
          resumed("a case finished at a position of text", 3, "run.journal.jsonl",
                  first + R"({"event":"finished","position":"0","record":{}})"
                          "\n{}\n"),
          resumed("a case finished that is a list", 3, "run.journal.jsonl",
                  first + R"({"event":"finished","position":0,"record":[]})"
                          "\n{}\n"),
          resumed("arguments that are no list", 3, "run.journal.jsonl",
                  with(first, "/tool/arguments", "--help") + "\n"),
          resumed("arguments that are no texts", 3, "run.journal.jsonl",
                  with(first, "/tool/arguments", Json::array({1, 2})) + "\n"),
          resumed("a list of no arguments", 3, "run.journal.jsonl",
                  with(first, "/tool/arguments", Json::object()) + "\n"),
          resumed("a plan with fields of other types", 3, "run.journal.jsonl",
                  with(first, "/plan", "frob") + "\n"),
          resumed("a line of 20 MB", 3, "run.journal.jsonl",
                  "{\"event\":\"" + std::string(20000000, 'x') + "\"}\n{}\n"),
          resumed("a million lines", 3, "run.journal.jsonl", first + times(1000000, "{}\n")),
          resumed("M14: 100,000 groups of a plan", 3, "run.journal.jsonl",
                  with(first, "/cases", Json::parse("[" + times(100000, "{},") + "{}]")) + "\n"),
      });
}

TEST_CASE("a journal's words do what a run's words may do, and nothing else", "[journals]") {
  withstand(
      "journals",
      {
          resumed("Low: --help in a journal", 3, "run.journal.jsonl", planned_with({"--help"})),
          resumed("Low: --help in a journal, among others", 3, "run.journal.jsonl",
                  planned_with(usual({"--help"}))),
          resumed("Low: --version in a journal", 3, "run.journal.jsonl", planned_with({"--version"})),
          resumed("Low: help of a subcommand in a journal", 3, "run.journal.jsonl",
                  planned_with({"suite", "--help"})),
          resumed("another subcommand in a journal", 3, "run.journal.jsonl",
                  planned_with({"data", "fetch", "mnist"})),
          resumed("a worker in a journal", 3, "run.journal.jsonl", planned_with({"worker"})),
          resumed("the list in a journal", 3, "run.journal.jsonl", planned_with({"list"})),
          resumed("sides in a journal", 3, "run.journal.jsonl",
                  planned_with({"ab", "--vs", "--command", "touch victim"})),
          resumed("an unknown option in a journal", 3, "run.journal.jsonl", planned_with(usual({"--frob"}))),
          resumed("escapes in a journal's words", 3, "run.journal.jsonl",
                  planned_with(usual({"--\x1b[31m"}))),
          resumed("--resume in a journal", 3, "run.journal.jsonl",
                  planned_with({"--resume", "run.journal.jsonl"})),
          resumed("--resume of itself, among others", 3, "run.journal.jsonl",
                  planned_with(usual({"--resume", "run.journal.jsonl"}))),
          resumed("a dry run in a journal", 3, "run.journal.jsonl", planned_with(usual({"--dry-run"}))),
          resumed("M11: a batch in a journal that is too large", 3, "run.journal.jsonl",
                  planned_with(usual({"--batch", "9223372036854775808"}))),
          resumed("M14: a billion repetitions in a journal", 3, "run.journal.jsonl",
                  planned_with({"--model", "mlp", "--repeat", "1000000000"})),
          resumed("another plan in a journal's words than in its plan", 2, "this run is another one",
                  planned_with(usual({"--batch", "7"}))),
          reaching_out("--power-log", {"--power-log", "victim"}),
          reaching_out("--power-log=", {"--power-log=victim"}),
          reaching_out("--trace", {"--trace", "victims"}),
          reaching_out("--trace", {"--profile", "--trace=victims"}),
          reaching_out("--data-dir", {"--data-dir", "victims"}),
          reaching_out("--meter", {"--meter", "replay:victim"}),
          reaching_out("--meter", {"--meter=none,replay:victim"}),
          reaching_out("--base-url", {"--base-url", "http://127.0.0.1:9/"}),
          {"H4: a journal of one's own with --data-dir, its roof measured anew", 0, "mlp",
           "GPUBENCH_WORKER_PREFIX=\"$STAND_IN\" gpubench -q --resume run.json",
           "mkdir data; train --data-dir data -o run.json; echo "
           "'{\"event\":\"roof\",\"device\":{\"name\":\"cpu\",\"peak_flops_per_second\":{\"fp32\":1e15}}}' "
           ">> run.journal.jsonl",
           "run.json run.journal.jsonl"},
          resumed("H4: a journal with another output", 3, "run.journal.jsonl",
                  planned_with(usual({"--output", "victim"}))),
      });
}

TEST_CASE("what is no journal is not taken for one", "[journals]") {
  withstand(
      "journals",
      {
          {"a journal that is not there", 3, "nothing", "gpubench --resume nothing"},
          {"a folder as a journal", 3, "folder", "gpubench --resume folder",
           "mkdir folder folder.journal.jsonl"},
          {"M6: a pipe as a journal", 3, "pipe.journal.jsonl", "gpubench --resume pipe.journal.jsonl",
           "mkfifo pipe.journal.jsonl"},
          {"M6: a pipe as a result to resume", 3, "pipe", "gpubench --resume pipe", "mkfifo pipe"},
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
          {"a name of 300 letters as a journal", 3, "xxx", "gpubench --resume $(many 300 x)"},
          {"a path of 5,000 letters as a journal", 3, "xxx", "gpubench --resume $(many 1000 xxxx/)"},
          {"a sparse terabyte as a journal", 3, "big.journal.jsonl",
           "ulimit -v 6000000; gpubench --resume big.journal.jsonl", "sparse big.journal.jsonl"},
          {"operations resumed as a run", 3, "ops", "gpubench --resume ops.json",
           "operate --op relu -o ops.json"},
          {"a run resumed as operations", 3, "run", "operate --resume run.json", "train -o run.json"},
          {"a run resumed as sides", 2, "run.json", "gpubench ab --resume run.json", "train -o run.json"},
          {"a run resumed with another plan", 2, "this run is another one",
           "train --resume run.json --batch 7", "train -o run.json"},
          {"a finished run resumed twice", 0, "",
           "for i in 1 2; do GPUBENCH_WORKER_PREFIX=$STAND_IN gpubench -q --resume run.json || exit; done",
           "train -o run.json", "run.json run.journal.jsonl"},
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
          suite("a suite of a NUL", std::string(1, '\0')),
          suite("a suite that is a list", "[]"),
          suite("a suite that is null", "null"),
          suite("a suite that is a number", "7"),
          suite("a suite that is a text", "\"x\""),
          suite("an empty object", "{}"),
          suite("a suite cut off", R"({"summary": "x", "groups": [{)"),
          suite("a suite of bytes that are no UTF-8", "{\"summary\": \"\xff\"}"),
          suite("a suite with an unknown field", R"({"frob": 1, "groups": []})"),
          suite("a suite without groups", R"({"summary": "y"})"),
          suite("a suite of no group", R"({"summary": "y", "groups": []})"),
          suite("groups that are no list", R"({"summary": "y", "groups": {}})"),
          suite("a group that is null", R"({"summary": "y", "groups": [null]})"),
          suite("a group that is a list", R"({"summary": "y", "groups": [[]]})"),
          suite("an unknown model", R"({"summary": "y", "groups": [{"model": ["frob"]}]})", "frob"),
          suite("a model that is a number", R"({"summary": "y", "groups": [{"model": 7}]})"),
          suite("a model of escapes", "{\"summary\": \"y\", \"groups\": [{\"model\": [\"\\u001b[31m\"]}]}",
                "unknown model"),
          suite("a batch of text", R"({"summary": "y", "groups": [{"model": ["mlp"], "batch": ["x"]}]})"),
          suite("a batch of zero", R"({"summary": "y", "groups": [{"model": ["mlp"], "batch": [0]}]})"),
          suite("a negative batch", R"({"summary": "y", "groups": [{"model": ["mlp"], "batch": [-1]}]})"),
          suite("half a batch", R"({"summary": "y", "groups": [{"model": ["mlp"], "batch": [0.5]}]})"),
          suite("M11: a batch of 2^63",
                R"({"summary": "y", "groups": [{"model": ["mlp"], "batch": [9223372036854775808]}]})"),
          suite("M11: a batch of 1e308",
                R"({"summary": "y", "groups": [{"model": ["mlp"], "batch": [1e308]}]})"),
          suite("a name twice", R"({"summary": "x", "summary": "y", "groups": [{"model": ["mlp"]}]})"),
          suite("no epochs", R"({"summary": "y", "groups": [{"model": ["mlp"], "epochs": 0}]})"),
          suite("epochs that are no number",
                R"({"summary": "y", "groups": [{"model": ["mlp"], "epochs": "many"}]})"),
          suite("an unknown precision",
                R"({"summary": "y", "groups": [{"model": ["mlp"], "precision": ["fp7"]}]})"),
          suite("an unknown field of a group",
                R"({"summary": "y", "groups": [{"model": ["mlp"], "frob": 1}]})"),
          suite("a path as an option of a group",
                R"({"summary": "y", "groups": [{"model": ["mlp"], "power_log": "victim"}]})"),
          suite("a billion repetitions",
                R"({"summary": "y", "groups": [{"model": ["mlp"], "repeat": 1000000000}]})"),
          suite("M4: a million levels", times(1000000, "[")),
          suite("M4: a million levels in a model",
                R"({"summary": "y", "groups": [{"model": )" + times(1000000, "[")),
          suite("M4: a million objects", times(1000000, "{\"a\":")),
          suite("M14: 100,000 groups", R"({"summary": "y", "groups": [)" +
                                           times(100000, R"({"model": ["mlp"]},)") +
                                           R"({"model": ["mlp"]}]})"),
          suite("M14: a list of 100,000 batches",
                R"({"summary": "y", "groups": [{"model": ["mlp"], "batch": [)" + times(100000, "32,") +
                    "32]}]}"),
          suite("a name of 10 MB", "{\"summary\": \"" + std::string(10000000, 'x') + "\", \"groups\": 7}"),
          suite("a million empty groups", R"({"summary": "y", "groups": [)" + times(1000000, "{},") + "{}]}"),
          {"M6: a pipe as a suite", 2, "pipe", "plan suite ./pipe", "mkfifo pipe"},
          {"M6: a pipe as a suite to show", 2, "pipe", "gpubench suite show ./pipe", "mkfifo pipe"},
          {"M6: a folder as a suite", 2, "folder", "plan suite ./folder", "mkdir folder"},
          {"a sparse terabyte as a suite", 2, "big.json", "ulimit -v 6000000; plan suite ./big.json",
           "sparse big.json"},
          {"a link in a circle as a suite", 2, "loop.json", "plan suite ./loop.json",
           "ln -s loop.json loop.json"},
          {"M6: a pipe among the user's suites, list", 0, "smoke", "gpubench suite list",
           "mkdir -p $HOME/gpubench/suites; mkfifo $HOME/gpubench/suites/pipe.json"},
          {"M6: a pipe among the user's suites, show", 0, "groups", "gpubench suite show smoke",
           "mkdir -p $HOME/gpubench/suites; mkfifo $HOME/gpubench/suites/pipe.json"},
          {"a broken suite among the user's, list", 0, "smoke", "gpubench suite list",
           "mkdir -p $HOME/gpubench/suites; echo '{' > $HOME/gpubench/suites/x.json"},
          {"M4: a deep suite among the user's, list", 0, "smoke", "gpubench suite list",
           "mkdir -p $HOME/gpubench/suites; many 1000000 '[' > $HOME/gpubench/suites/x.json"},
          {"a sparse terabyte among the user's suites, list", 0, "smoke",
           "ulimit -v 6000000; gpubench suite list",
           "mkdir -p $HOME/gpubench/suites; sparse $HOME/gpubench/suites/x.json"},
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
          {"Low: a suite whose name has escapes, plan",
           2,
           "bad.json",
           "plan suite ./bad.json",
           "",
           "",
           {{"bad.json", R"({"summary":"y","groups":[{"model":["\u001b[32m"]}]})"}}},
      });
}
