// The supervisor and misbehaving workers: row, document and exit code, while the sweep continues.
// fault_test.cpp has faults of a case in the middle; here are faults before a case opens, at both ends of a
// sweep and in all cases, and their --resume.

#include <signal.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "supervision.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/schema.h"

namespace gpubench::test::seam_supervisor_test {

namespace {

namespace fs = std::filesystem;

/// A folder with a shell script that starts stand-in workers, or fails instead.
class ScriptedWorkers {
 public:
  /// `branches` belong to a shell `case` over the number of the start. Start 1 discovers devices; each later
  /// one runs a case.
  explicit ScriptedWorkers(const std::string& branches) {
    const std::string starts = (gpubench_.folder() / "starts").string();
    std::ofstream(script()) << "echo >> " << starts << "\nn=$(wc -l < " << starts << ")\ncase $((n)) in\n"
                            << branches << "\nesac\nexec " << stand_in_worker() << " $FAULT \"$@\"\n";
    gpubench_.set("GPUBENCH_WORKER_PREFIX", "sh " + script().string());
  }

  ProcessResult run(const std::vector<std::string>& more = {}) const {
    return gpubench_.run(Supervision::arguments(more));
  }
  const Gpubench& gpubench() const { return gpubench_; }
  fs::path script() const { return gpubench_.folder() / "worker.sh"; }
  Json document() const { return Json::parse(to_text(gpubench_.folder() / "run.json")); }

 private:
  Gpubench gpubench_;
};

/// Returns the arguments of six cases with the document on stdout.
std::vector<std::string> arguments_to_stdout() {
  std::vector<std::string> words = Supervision::arguments();
  REQUIRE(words.back() == "run.json");
  words.back() = "-";
  return words;
}

}  // namespace

TEST_CASE("a worker that fails before it opens its case affects only that case, which has no samples",
          "[seam]") {
  struct Row {
    std::string script;
    std::string status;
    std::string message;
    std::vector<std::string> options = {};
  };
  const std::vector<Row> rows = {
      {"exit 7", "crashed", "exit code 7"},
      {"exit 0", "crashed", "without a result"},
      {"kill -SEGV $$", "crashed", "signal 11"},
      {"kill -KILL $$", "crashed", "signal 9"},
      {"echo nonsense >&3; exec sleep 1000", "error", "nonsense"},
      {"exec sleep 1000", "timeout", "--timeout", {"--timeout", "2s"}},
  };
  for (const Row& row : rows) {
    INFO(row.script);
    const ScriptedWorkers workers("3) " + row.script + ";;");
    const auto result = workers.run(row.options);
    INFO(result.err);
    CHECK(result.exit_code == 5);
    const Json document = workers.document();
    check_whole(document);
    CHECK(statuses(document) == "ok " + row.status + " ok ok ok ok ");
    const Json failed = to_row(document, "mlp", 32);
    CHECK(failed["samples"]["epoch_seconds"].empty());
    CHECK(failed["figures"]["median_epoch_seconds"].is_null());
    CHECK_THAT(failed["status_message"].get<std::string>(), contains_text(row.message));
  }
}

TEST_CASE("a worker may start slowly, and write to stdout", "[seam]") {
  const ScriptedWorkers workers("1|3) sleep 1;;\n*) echo noise; echo more noise >&2;;");
  const auto result = workers.gpubench().run(arguments_to_stdout());
  INFO(result.err);
  CHECK(result.exit_code == 0);
  check_all_ok(Json::parse(result.out));
  CHECK_THAT(result.err, !contains_text("noise"));
}

TEST_CASE("if workers can no longer be started, each further case is an error", "[seam]") {
  Gpubench gpubench;
  const fs::path program = gpubench.folder() / "worker";
  std::ofstream(program) << "#!/bin/sh\necho >> starts\n[ $(wc -l < starts) -lt 3 ] || rm \"$0\"\nexec "
                         << stand_in_worker() << " \"$@\"\n";
  fs::permissions(program, fs::perms::owner_all);
  gpubench.set("GPUBENCH_WORKER_PREFIX", program.string());
  const auto result = gpubench.run(Supervision::arguments());
  INFO(result.err);
  CHECK(result.exit_code == 5);
  const Json document = Json::parse(to_text(gpubench.folder() / "run.json"));
  check_whole(document);
  CHECK(statuses(document) == "ok ok error error error error ");
  CHECK_THAT(to_row(document, "cnn", 64)["status_message"].get<std::string>(),
             contains_text("cannot be started"));
}

TEST_CASE("if every case fails, the sweep continues: each case is a row with its status and first epoch",
          "[seam]") {
  const std::map<std::string, std::string> faults = {
      {"segv", "crashed"},       {"exit7", "crashed"},         {"garbage", "error"}, {"empty-epoch", "error"},
      {"wrong-answer", "error"}, {"close-replies", "crashed"}, {"error", "error"}};
  for (const auto& [fault, status] : faults) {
    INFO(fault);
    const Supervision supervision("--fault " + fault);
    const auto result = supervision.run();
    CHECK(result.exit_code == 5);
    const Json document = supervision.document();
    check_whole(document);
    CHECK(document["tool"]["finished_at"].is_string());
    for (const Json& row : document["results"]) {
      CHECK(row["status"] == status);
      CHECK(row["samples"]["epoch_seconds"].size() == 1);
      CHECK_FALSE(row["status_message"].get<std::string>().empty());
    }
    CHECK(supervision.gpubench().run({"file", "validate", "run.json"}).exit_code == 0);
  }
}

TEST_CASE("out of memory skips only larger batches of the same model, in any order of batches", "[seam]") {
  Gpubench gpubench;
  const auto run = [&](const std::string& only, const std::string& batches) {
    gpubench.set("GPUBENCH_WORKER_PREFIX", stand_in_worker() + " --fault oom --only " + only);
    const auto result =
        gpubench.run({"--model", "mlp,cnn", "--batch", batches, "--epochs", "2", "--device", "cpu",
                      "--max-samples", "4", "--dataset", "synthetic", "-o", "run.json", "--force"});
    INFO(result.err);
    CHECK(result.exit_code == 5);
    return statuses(Json::parse(to_text(gpubench.folder() / "run.json")));
  };
  CHECK(run("mlp:16", "16,32,64") == "oom skipped skipped ok ok ok ");
  CHECK(run("mlp:64", "16,32,64") == "ok ok oom ok ok ok ");
  CHECK(run("mlp:64", "64,32,16") == "oom ok ok ok ok ok ");
  CHECK(run("mlp:32", "64,32,16") == "ok oom ok ok ok ok ");
}

TEST_CASE("--resume runs failed rows of any status again and keeps ok rows", "[seam]") {
  struct Row {
    std::string fault;
    std::string before;
    std::vector<std::string> options = {};
  };
  const std::vector<Row> rows = {
      {"segv", "ok crashed ok ok ok ok "},
      {"garbage", "ok error ok ok ok ok "},
      {"exit0", "ok crashed ok ok ok ok "},
      {"oom", "ok oom skipped ok ok ok "},
      {"hang", "ok timeout ok ok ok ok ", {"--timeout", "2s"}},
  };
  for (const Row& row : rows) {
    INFO(row.fault);
    Supervision supervision("--fault " + row.fault + " --only mlp:32");
    CHECK(supervision.run(row.options).exit_code == 5);
    const Json before = supervision.document();
    CHECK(statuses(before) == row.before);
    supervision.behave("");
    const auto resumed = supervision.resume();
    INFO(resumed.err);
    CHECK(resumed.exit_code == 0);
    const Json after = supervision.document();
    check_all_ok(after);
    check_kept(before["results"], after["results"]);
    CHECK(after["tool"]["arguments"] == before["tool"]["arguments"]);
  }
}

TEST_CASE("--resume may be repeated while a worker keeps failing", "[seam]") {
  Supervision supervision("--fault segv --only cnn:16");
  CHECK(supervision.run().exit_code == 5);
  const Json before = supervision.document();
  for (const std::string fault : {"exit7", "garbage"}) {
    supervision.behave("--fault " + fault + " --only cnn:16");
    CHECK(supervision.resume().exit_code == 5);
    const Json after = supervision.document();
    check_whole(after);
    check_kept(before["results"], after["results"]);
    CHECK(to_row(after, "cnn", 16)["status"] == (fault == "exit7" ? "crashed" : "error"));
    CHECK(to_row(after, "cnn", 16)["samples"]["epoch_seconds"].size() == 1);
  }
  supervision.behave("");
  CHECK(supervision.resume().exit_code == 0);
  check_all_ok(supervision.document());
}

TEST_CASE("stdout and document report failed rows, also with --quiet", "[seam]") {
  const Supervision supervision("--fault abort --only mlp:32");
  const auto result = supervision.run({"--quiet"});
  CHECK(result.exit_code == 5);
  CHECK(result.err.empty());
  CHECK_THAT(result.out, contains_text("crashed") && contains_text("signal 6"));
  const auto piped = supervision.gpubench().run(arguments_to_stdout());
  CHECK(piped.exit_code == 5);
  CHECK(statuses(Json::parse(piped.out)) == "ok crashed ok ok ok ok ");
}

TEST_CASE("a case that does not fit the budget is skipped without starting a worker", "[seam]") {
  const Supervision supervision;
  auto arguments = Supervision::arguments({"--budget", "30s"});
  arguments[5] = "100000";
  REQUIRE(arguments[4] == "--epochs");
  const auto result = supervision.gpubench().run(arguments);
  INFO(result.err);
  CHECK(result.exit_code == 5);
  const Json document = supervision.document();
  check_whole(document);
  CHECK(document["plan"]["budget_seconds"] == 30);
  for (const Json& row : document["results"]) {
    CHECK(row["status"] == "skipped");
    CHECK(row["skip_rule"] == "budget");
    CHECK(row["samples"]["epoch_seconds"].empty());
  }
  CHECK(supervision.stored().epochs == 0);
}

TEST_CASE("no worker outlives the timeout of its case or the run", "[seam]") {
  const Supervision supervision("--fault hang --only cnn:64");
  CHECK(supervision.run({"--timeout", "2s"}).exit_code == 5);
  CHECK(statuses(supervision.document()) == "ok ok ok ok ok timeout ");
  CHECK(wait_until([&] { return !has_worker(supervision.gpubench().folder()); }));
}

TEST_CASE("an interrupt before the first case ends the run, and it can be started again", "[seam]") {
  const ScriptedWorkers workers("1) touch asked; sleep 2;;");
  StartedProcess process = workers.gpubench().start(Supervision::arguments());
  REQUIRE(wait_until([&] { return fs::exists(workers.gpubench().folder() / "asked"); }));
  process.send(SIGINT);
  const auto result = process.wait();
  INFO(result.err);
  // The signal itself ends the process until there are results to save.
  CHECK((result.exit_code == 130 || result.exit_code == -SIGINT));
  const auto again = workers.run();
  INFO(again.err);
  CHECK(again.exit_code == 0);
  check_all_ok(workers.document());
}

}  // namespace gpubench::test::seam_supervisor_test
