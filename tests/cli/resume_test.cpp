// A run that was killed at any time can be resumed: from the store, from its result file, or from the more
// complete one of both.

#include <signal.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <random>
#include <thread>

#include "store/store.h"
#include "supervision.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/temp_dir.h"

namespace gpubench::test::resume_test {

namespace {

namespace fs = std::filesystem;
using Milliseconds = std::chrono::milliseconds;
using Words = std::vector<std::string>;

constexpr const char* kBehaviour = "--epoch-ms 5";

/// Kills gpubench and waits until its worker exits.
void end(StartedProcess& process, const Supervision& supervision) {
  process.send(SIGKILL);
  process.wait();
  CHECK(wait_until([&] { return !has_worker(supervision.gpubench().folder()); }));
}

/// Runs or resumes the plan until a worker hangs in the first epoch of the row after `ended`.
void break_off(Supervision& supervision, std::size_t ended, const Words& arguments) {
  constexpr const char* kRows[] = {"mlp:16", "mlp:32", "mlp:64", "cnn:16", "cnn:32", "cnn:64"};
  supervision.behave(std::string("--fault hang --only ") + kRows[ended]);
  StartedProcess process = supervision.gpubench().start(arguments);
  REQUIRE(supervision.wait_for({.ended = ended, .epochs = 1}));
  // The result file is written after the store.
  REQUIRE(wait_until([&] { return ended == 0 || fs::exists(supervision.gpubench().folder() / "run.json"); }));
  end(process, supervision);
  supervision.behave("");
}

/// A run that was killed during the row after `ended`.
struct BrokenRun : Supervision {
  explicit BrokenRun(std::size_t ended) { break_off(*this, ended, arguments()); }

  fs::path file() const { return gpubench().folder() / "run.json"; }
  void check_completed_by(const Words& arguments) const {
    const auto result = gpubench().run(arguments);
    INFO(result.err);
    CHECK(result.exit_code == 0);
    check_all_ok(document());
  }
};

void check_refused(const ProcessResult& result, int exit_code, const std::string& part) {
  CHECK(result.exit_code == exit_code);
  CHECK_THAT(result.err, contains_text(part));
}

/// Returns the only run of the store, if it has started.
std::optional<RunRecord> load_stored(const fs::path& path) {
  if (count_stored(path).rows == 0) return std::nullopt;
  const Store store(path, Database::Access::kRead);
  const auto runs = store.runs();
  REQUIRE(runs.size() == 1);
  return store.load_run(runs[0].id);
}

/// Fails the test if finished rows were measured again.
void check_same(const RunRecord& before, const Json& document) {
  for (std::size_t i = 0; i < before.cases.size(); ++i) {
    if (before.cases[i].status != RowStatus::kOk) continue;
    CHECK(document["results"][i]["facts"]["started_at"] == before.cases[i].started_at.value());
  }
}

Milliseconds length_of_a_run() {
  const Supervision supervision(kBehaviour);
  const auto start = std::chrono::steady_clock::now();
  CHECK(supervision.run().exit_code == 0);
  return std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - start);
}

/// Resumes the run, by name or as the latest one. If it was killed before it was stored, starts it again.
void finish(const Supervision& supervision, const std::optional<RunRecord>& before, bool is_named) {
  if (!before) CHECK(supervision.resume().exit_code == 2);
  const bool is_done = before && before->tool.finished_at.has_value();
  const auto result = !before               ? supervision.run()
                      : is_named || is_done ? supervision.resume()
                                            : supervision.gpubench().run({"--resume"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
}

}  // namespace

TEST_CASE("--resume completes a run that was killed at any time, with each case once", "[seam]") {
  constexpr int kKills = 20;
  const Milliseconds length = length_of_a_run();
  std::mt19937 random(20240203);
  std::size_t resumed = 0;
  for (int kill = 0; kill < kKills; ++kill) {
    // Covers the time of a run in steps of one twentieth.
    const double part =
        (kill + static_cast<double>(random()) / static_cast<double>(std::mt19937::max())) / kKills;
    const Milliseconds delay(static_cast<int>(part * static_cast<double>(length.count())));
    INFO("killed after " << delay.count() << " of " << length.count() << " ms");
    const Supervision supervision(kBehaviour);
    StartedProcess process = supervision.gpubench().start(Supervision::arguments());
    std::this_thread::sleep_for(delay);
    end(process, supervision);
    const auto before = load_stored(supervision.gpubench().store());
    resumed += before ? 1 : 0;
    finish(supervision, before, kill % 2 == 0);
    check_all_ok(supervision.document());
    if (before) check_same(*before, supervision.document());
    CHECK(supervision.stored().ended == 6);
    CHECK(Store(supervision.gpubench().store()).check().empty());
  }
  // Otherwise all kills came too early to prove anything.
  CHECK(resumed > kKills / 2);
}

TEST_CASE("a run that was killed before its first result is resumed from the store", "[seam]") {
  const Words named{"--resume", "run.json"};
  for (const Words& arguments : {named, Words{"--resume"}}) {
    const BrokenRun run(0);
    CHECK_FALSE(fs::exists(run.file()));
    run.check_completed_by(arguments);
  }
}

TEST_CASE("a run can be resumed from its result file alone, with another store or none", "[seam]") {
  const std::string other = "other.sqlite";
  for (const Words& store : {Words{"--no-store"}, Words{"--store", other}}) {
    const BrokenRun run(2);
    const Json before = run.document();
    Words arguments{"--resume", "run.json"};
    arguments.insert(arguments.end(), store.begin(), store.end());
    run.check_completed_by(arguments);
    check_kept(before["results"], run.document()["results"]);
    CHECK(run.document()["tool"]["run_id"] == before["tool"]["run_id"]);
    const bool is_stored = store.front() == "--store";
    CHECK(count_stored(run.gpubench().folder() / other).ended == (is_stored ? 6 : 0));
    // The first store gets the other rows at the next resume.
    CHECK(run.stored().ended == 2);
    CHECK(run.resume().exit_code == 0);
    CHECK(run.stored().ended == 6);
  }
}

TEST_CASE("if the result file has fewer rows than the store, the store is used", "[seam]") {
  BrokenRun run(1);
  const std::string older = to_text(run.file());
  break_off(run, 3, {"--resume"});
  const auto before = load_stored(run.gpubench().store());
  std::ofstream(run.file()) << older;
  run.check_completed_by({"--resume"});
  check_same(*before, run.document());
}

TEST_CASE("if the store has fewer rows than the result file, the file is used", "[seam]") {
  BrokenRun run(1);
  run.behave("--fault hang --only cnn:16");
  StartedProcess process = run.gpubench().start({"--resume", "run.json", "--no-store"});
  REQUIRE(wait_until([&] { return statuses(run.document()).starts_with("ok ok ok "); }));
  end(process, run);
  run.behave("");
  CHECK(run.stored().ended == 1);
  const Json before = run.document();
  run.check_completed_by({"--resume"});
  check_kept(before["results"], run.document()["results"]);
  CHECK(run.stored().ended == 6);
}

TEST_CASE("--resume with another plan is an error that lists the differences", "[seam]") {
  const Supervision supervision;
  CHECK(supervision.run().exit_code == 0);
  const auto result = supervision.gpubench().run({"--resume", "run.json", "--model", "mlp", "--batch", "64"});
  check_refused(result, 2, "run.json: the run differs");
  CHECK_THAT(result.err, contains_text("rows: was 6, now 1"));
  CHECK_THAT(result.err, contains_text("row 1, batch: was 16, now 64 (--batch)"));
  const auto refuses = [&](const std::string& option, const std::string& value, const std::string& part) {
    check_refused(supervision.gpubench().run({"--resume", "run.json", option, value}), 2, part);
  };
  refuses("--epochs", "4", "row 1, epochs: was 3, now 4 (--epochs)");
  refuses("--model", "mlp,cnn,cnn0", "row 7, model: was cnn, now cnn0 (--model)");
  refuses("--max-samples", "3", "row 1, samples: was 4, now 3 (--max-samples)");
  check_all_ok(supervision.document());
}

TEST_CASE("--resume with other threads or data is an error", "[seam]") {
  Gpubench gpubench;
  const Words training{"--model",       "mlp", "--device", "cpu",  "--batch", "16", "--epochs", "1",
                       "--max-samples", "16",  "--meter",  "none", "-q",      "-o", "run.json"};
  gpubench.set("GPUBENCH_WORKER_PREFIX", stand_in_worker());
  CHECK(gpubench.run(training).exit_code == 0);
  gpubench.set("GPUBENCH_DATA_DIR", (gpubench.folder() / "nothing").string());
  check_refused(gpubench.run({"--resume", "run.json", "--offline"}), 2, R"(dataset fashion-mnist: was [")");

  gpubench.set("GPUBENCH_WORKER_PREFIX", "");
  gpubench.set("GPUBENCH_DATA_DIR", fixtures_dir());
  Words real = training;
  real.insert(real.end(), {"--force", "--threads", "1"});
  CHECK(gpubench.run(real).exit_code == 0);
  check_refused(gpubench.run({"--resume", "run.json", "--threads", "2"}), 2, "threads: was 1, now 2");
}

TEST_CASE("--resume of a finished run changes nothing", "[seam]") {
  const Supervision supervision;
  CHECK(supervision.run().exit_code == 0);
  const Json before = supervision.document();
  for (const Words& store : {Words{}, Words{"--no-store"}}) {
    Words arguments{"--resume", "run.json"};
    arguments.insert(arguments.end(), store.begin(), store.end());
    const auto result = supervision.gpubench().run(arguments);
    INFO(result.err);
    CHECK(result.exit_code == 0);
    CHECK(supervision.document()["results"] == before["results"]);
  }
  check_refused(supervision.gpubench().run({"--resume"}), 2, "the store has no unfinished run");
}

TEST_CASE("a new run does not overwrite an interrupted one", "[seam]") {
  const BrokenRun run(1);
  const std::string before = to_text(run.file());
  check_refused(run.run(), 2,
                "interrupted run with 1 of 6 rows; resume it with 'gpubench --resume run.json'");
  CHECK(to_text(run.file()) == before);
}

TEST_CASE("a run in progress cannot be resumed by another process", "[seam]") {
  const Supervision supervision("--fault hang --only mlp:32");
  StartedProcess process = supervision.gpubench().start(Supervision::arguments());
  REQUIRE(supervision.wait_for({.ended = 1, .epochs = 1}));
  check_refused(supervision.gpubench().run({"--resume"}), 2, "the store has no unfinished run");
  check_refused(supervision.resume(), 2, "another gpubench process is running this");
  check_refused(supervision.run(), 2, "another gpubench is writing to it");
  CHECK(process.is_running());
  CHECK(supervision.stored().epochs == 1);
}

TEST_CASE("a suite can be resumed like any run", "[seam]") {
  Supervision supervision;
  std::ofstream(supervision.gpubench().folder() / "mine.json")
      << R"({"summary": "y", "groups": [{"model": ["mlp"], "batch_size": [16, 32, 64]},
             {"model": ["cnn"], "batch_size": [16, 32, 64]}]})";
  break_off(supervision, 4,
            {"suite", "./mine.json", "--dataset", "synthetic", "--max-samples", "4", "--epochs", "3",
             "--device", "cpu", "-o", "run.json"});
  const auto result = supervision.gpubench().run({"--resume"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  check_all_ok(supervision.document());
  CHECK(supervision.document()["plan"]["suite"] == "mine");
}

TEST_CASE("--resume without an unfinished run, or of another file, is an error", "[seam]") {
  const Supervision supervision;
  check_refused(supervision.gpubench().run({"--resume"}), 2, "the store has no unfinished run");
  check_refused(supervision.resume(), 2, "run.json: does not exist");
  const fs::path file = supervision.gpubench().folder() / "run.json";
  std::ofstream(file) << "shopping list\nmilk\n";
  check_refused(supervision.resume(), 3, "run.json");
  CHECK(to_text(file) == "shopping list\nmilk\n");
}

}  // namespace gpubench::test::resume_test
