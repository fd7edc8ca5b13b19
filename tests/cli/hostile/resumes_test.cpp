// Results and suites that others wrote: what --resume and suite read, and what they may not make the program
// do.

#include <string>
#include <vector>

#include "attack.h"
#include "sample.h"
#include "support/catch.h"

namespace gpubench::test::resumes_test {

namespace {

/// A run whose second row is still to be done.
std::string broken_run() {
  return with(with(run_document(), "/results/1/status", "interrupted"), "/tool/finished_at", nullptr);
}

/// A run that was started with these words.
std::string started_with(const std::vector<std::string>& words) {
  return with(broken_run(), "/tool/arguments", words);
}

std::vector<std::string> usual(const std::vector<std::string>& more) {
  std::vector<std::string> words{"--model", "mlp",      "--dataset", "synthetic", "--max-samples",
                                 "4",       "--epochs", "2",         "--device",  "cpu",
                                 "-q",      "--repeat", "2",         "-o",        "run.json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Attack resumed(const std::string& what, int code, const std::string& words, const std::string& document) {
  return {what,
          code,
          words,
          "GPUBENCH_WORKER_PREFIX=\"$STAND_IN\" gpubench --resume run.json",
          "",
          code == 0 ? "run.json" : "",
          {{"run.json", document}}};
}

/// A run that would have the program touch a file that is none of its own. It goes on without that.
Attack reaching_out(const std::string& option, const std::vector<std::string>& words) {
  Attack attack = resumed("H4: a run with " + option, 0, "mlp", started_with(usual(words)));
  attack.files["victim"] = "alias ll='ls -l'\n";
  attack.prepare = "mkdir victims";
  return attack;
}

/// A side, whose words may name any program.
Attack sides(const std::string& command) {
  return {"sides",
          2,
          "continue sides with",
          command,
          "",
          "",
          {{"run-a.json", started_with({"ab", "--model", "mlp", "--vs", "--command", "touch victim"})}}};
}

}  // namespace

TEST_CASE("documents that are no run to continue are refused and left as they are", "[resumes]") {
  withstand(
      "resumes",
      {
          resumed("an empty file", 3, "run.json", ""),
          resumed("a file of NULs", 3, "run.json", std::string(4096, '\0')),
          resumed("a list", 3, "run.json", "[]"),
          resumed("a million levels", 3, "run.json", times(1000000, "{\"a\":")),
          resumed("a document of another program", 3, "run.json", R"({"name": "photos"})"),
          resumed("a run without arguments", 3, "does not say how its run was started", started_with({})),
          resumed("arguments that are no list", 3, "run.json",
                  with(broken_run(), "/tool/arguments", "--help")),
          resumed("arguments that are no words", 3, "run.json",
                  with(broken_run(), "/tool/arguments", {{"--batch", 7}})),
          resumed("a number of a run that is none", 0, "mlp",
                  with(run_document(), "/tool/run_id", "' OR 1=1; --")),
          {"M6: a pipe", 3, "pipe", "gpubench --resume pipe", "mkfifo pipe"},
          {"a link in a circle", 2, "loop", "gpubench --resume loop.json", "ln -s loop.json loop.json"},
          {"a sparse terabyte", 3, "big", "ulimit -v 6000000; gpubench --resume big", "sparse big"},
          {"a run whose result is a folder now", 3, "run.json", "gpubench --resume run.json",
           "train -o run.json; rm run.json; mkdir run.json"},
      });
}

TEST_CASE("a run's words do what a run's words may do, and nothing else", "[resumes]") {
  withstand("resumes",
            {
                resumed("Low: --help as the words of a run", 2, "gpubench: ", started_with({"--help"})),
                resumed("another subcommand", 2, "'gpubench data'", started_with({"data", "fetch", "mnist"})),
                sides("gpubench --resume run-a.json"),
                sides("gpubench ops --resume run-a.json"),
                resumed("operations as many as trainings", 2, "this run is another one",
                        started_with({"ops", "--op", "relu", "--shape", "8x8,16x16", "--device", "cpu"})),
                resumed("escapes in a word", 2, "", started_with(usual({"--\x1b[31m"}))),
                resumed("--resume of another run", 0, "mlp", started_with(usual({"--resume", "other.json"}))),
                resumed("a dry run", kSoundOrRefused, "", started_with(usual({"--dry-run"}))),
                resumed("M14: a billion repetitions", 2, "--repeat",
                        started_with({"--model", "mlp", "--repeat", "1000000000"})),
                resumed("another plan than its rows", 2, "this run is another one",
                        started_with(usual({"--batch", "7"}))),
                reaching_out("--power-log", {"--power-log", "victim"}),
                reaching_out("--power-log=", {"--power-log=victim"}),
                reaching_out("--profile", {"--profile=victims"}),
                reaching_out("--data-dir", {"--data-dir", "victims"}),
                reaching_out("--meter", {"--meter", "replay:victim"}),
                reaching_out("--store", {"--store", "victim"}),
                reaching_out("--output", {"--output", "victim"}),
                reaching_out("-o", {"-ovictim"}),
                reaching_out("--force", {"--force", "-o", "victim"}),
            });
}

TEST_CASE("a run that was handed on and came back keeps its own words", "[resumes]") {
  const std::string prepare =
      "PREFIX=\"$STAND_IN --fault hang --only mlp:32\"; train --batch 16,32 --timeout=99s -o run.json & "
      "p=$!; "
      "while ! test -s run.json; do sleep 0.05; done; kill -9 $p; "
      "GPUBENCH_WORKER_PREFIX=$STAND_IN gpubench --resume run.json --no-store; "
      "sed 's/--timeout=99s/--power-log=victim/' run.json > new; mv new run.json; echo precious > victim";
  withstand("resumes",
            {{"H4: a stored run whose file has other words and more rows", 0, "mlp",
              "GPUBENCH_WORKER_PREFIX=$STAND_IN gpubench --resume run.json", prepare, "run.json"}});
}

TEST_CASE("runs are continued as what they are", "[resumes]") {
  withstand("resumes",
            {
                {"operations by the command of trainings", 0, "relu",
                 "GPUBENCH_WORKER_PREFIX=$STAND_IN gpubench --resume ops.json",
                 "operate --op relu -o ops.json", "ops.json"},
                {"a run by the command of operations", 0, "mlp", "operate --resume run.json",
                 "train -o run.json", "run.json"},
                {"a run by sides", 2, "run.json", "gpubench ab --resume run.json", "train -o run.json"},
                {"another plan", 2, "this run is another one", "train --resume run.json --batch 7",
                 "train -o run.json"},
                {"a run whose result was lost", 2, "no such file", "gpubench --resume run.json",
                 "train -o run.json; rm run.json"},
                {"M6: a pipe as a draft of the result", 0, "", "train -o run.json",
                 "for n in .lock .run.json.lock run.json.lock run.lock; do mkfifo $n; done", "run.json"},
            });
}

namespace {

Attack suite(const std::string& what, const std::string& text, const std::string& words = "bad.json") {
  return {what, 2, words, "ulimit -v 6000000; plan suite ./bad.json", "", "", {{"bad.json", text}}};
}

}  // namespace

TEST_CASE("suites that cannot be used are refused in one line", "[suites]") {
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

}  // namespace gpubench::test::resumes_test
