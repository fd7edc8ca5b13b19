// Malicious results and suites: --resume and suite must not let them change other files or run other
// programs.

#include <string>
#include <vector>

#include "attack.h"
#include "sample.h"
#include "support/catch.h"

namespace gpubench::test::resumes_test {

namespace {

/// Returns a run whose second row is missing.
std::string broken_run() {
  return with(with(run_document(), "/results/1/status", "interrupted"), "/tool/finished_at", nullptr);
}

/// Returns an unfinished run with these arguments.
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

/// Returns an attack by a run with an option that refers to another file, which --resume must ignore.
Attack reaching_out(const std::string& option, const std::vector<std::string>& words) {
  Attack attack = resumed("H4: a run with " + option, 0, "mlp", started_with(usual(words)));
  attack.files["victim"] = "alias ll='ls -l'\n";
  attack.prepare = "mkdir victims";
  return attack;
}

/// Returns an attack by a result of ab, whose arguments may name any program.
Attack ab_result(const std::string& command) {
  return {"a result of ab",
          2,
          "is a result of 'gpubench ab'",
          command,
          "",
          "",
          {{"run-a.json", started_with({"ab", "--model", "mlp", "--vs", "--command", "touch victim"})}}};
}

}  // namespace

TEST_CASE("documents that cannot be resumed are errors and stay unchanged", "[resumes]") {
  withstand("resumes",
            {
                resumed("an empty file", 3, "run.json", ""),
                resumed("a file of NULs", 3, "run.json", std::string(4096, '\0')),
                resumed("a list", 3, "run.json", "[]"),
                resumed("a million levels", 3, "run.json", times(1000000, "{\"a\":")),
                resumed("a document of another program", 3, "run.json", R"({"name": "photos"})"),
                resumed("a run without arguments", 3, "lacks the command line of its run", started_with({})),
                resumed("arguments that are not a list", 3, "run.json",
                        with(broken_run(), "/tool/arguments", "--help")),
                resumed("arguments that are not words", 3, "run.json",
                        with(broken_run(), "/tool/arguments", {{"--batch", 7}})),
                resumed("an invalid run_id", 0, "mlp", with(run_document(), "/tool/run_id", "' OR 1=1; --")),
                {"M6: a pipe", 3, "pipe", "gpubench --resume pipe", "mkfifo pipe"},
                {"a link to itself", 2, "loop", "gpubench --resume loop.json", "ln -s loop.json loop.json"},
                {"a sparse terabyte", 3, "big", "ulimit -v 6000000; gpubench --resume big", "sparse big"},
                {"a folder instead of the result of a run", 3, "run.json", "gpubench --resume run.json",
                 "train -o run.json; rm run.json; mkdir run.json"},
            });
}

TEST_CASE("arguments of a resumed run cannot affect other files or programs", "[resumes]") {
  withstand("resumes",
            {
                resumed("Low: --help as the arguments of a run", 2, "gpubench: ", started_with({"--help"})),
                resumed("another subcommand", 2, "'gpubench data'", started_with({"data", "fetch", "mnist"})),
                ab_result("gpubench --resume run-a.json"),
                ab_result("gpubench ops --resume run-a.json"),
                resumed("as many operations as trainings", 2, "the run differs",
                        started_with({"ops", "--op", "relu", "--shape", "8x8,16x16", "--device", "cpu"})),
                resumed("escapes in a word", 2, "", started_with(usual({"--\x1b[31m"}))),
                resumed("--resume of another run", 0, "mlp", started_with(usual({"--resume", "other.json"}))),
                resumed("a dry run", kSoundOrRefused, "", started_with(usual({"--dry-run"}))),
                resumed("M14: a billion repetitions", 2, "--repeat",
                        started_with({"--model", "mlp", "--repeat", "1000000000"})),
                resumed("a plan that differs from the rows", 2, "the run differs",
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

TEST_CASE("the arguments in the store take precedence over edited ones in the file", "[resumes]") {
  const std::string prepare =
      "PREFIX=\"$STAND_IN --fault hang --only mlp:32\"; train --batch 16,32 --timeout=99s -o run.json & "
      "p=$!; "
      "while ! test -s run.json; do sleep 0.05; done; kill -9 $p; "
      "GPUBENCH_WORKER_PREFIX=$STAND_IN gpubench --resume run.json --no-store; "
      "sed 's/--timeout=99s/--power-log=victim/' run.json > new; mv new run.json; echo precious > victim";
  withstand("resumes",
            {{"H4: a stored run whose file has other arguments and more rows", 0, "mlp",
              "GPUBENCH_WORKER_PREFIX=$STAND_IN gpubench --resume run.json", prepare, "run.json"}});
}

TEST_CASE("--resume keeps the workload of a run", "[resumes]") {
  withstand(
      "resumes",
      {
          {"operations, resumed by train", 0, "relu",
           "GPUBENCH_WORKER_PREFIX=$STAND_IN gpubench --resume ops.json", "operate --op relu -o ops.json",
           "ops.json"},
          {"a training, resumed by ops", 0, "mlp", "operate --resume run.json", "train -o run.json",
           "run.json"},
          {"a training, resumed by ab", 2, "run.json", "gpubench ab --resume run.json", "train -o run.json"},
          {"another plan", 2, "the run differs", "train --resume run.json --batch 7", "train -o run.json"},
          {"a run with a removed result", 2, "does not exist", "gpubench --resume run.json",
           "train -o run.json; rm run.json"},
          {"M6: a pipe as a temporary file", 0, "", "train -o run.json",
           "for n in .lock .run.json.lock run.json.lock run.lock; do mkfifo $n; done", "run.json"},
      });
}

namespace {

Attack suite(const std::string& what, const std::string& text, const std::string& words = "bad.json") {
  return {what, 2, words, "ulimit -v 6000000; plan suite ./bad.json", "", "", {{"bad.json", text}}};
}

}  // namespace

TEST_CASE("invalid suites are errors of one line", "[suites]") {
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
          {"a folder of suites that links to itself", 0, "smoke", "gpubench suite list",
           "mkdir -p $HOME/gpubench; ln -s suites $HOME/gpubench/suites"},
          {"a file instead of the folder of suites", 0, "smoke", "gpubench suite list",
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
