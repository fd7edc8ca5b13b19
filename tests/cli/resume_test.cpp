// A run that is killed at any moment goes on where it was.

#include <signal.h>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "supervision.h"
#include "support/catch.h"
#include "support/paths.h"

namespace gpubench::test::resume_test {

namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr const char* kBehaviour = "--epoch-ms 5";

/// Starts gpubench, kills it after `delay` and waits until its worker has noticed.
void run_and_kill(const Supervision& supervision, const std::vector<std::string>& arguments,
                  Milliseconds delay) {
  StartedProcess process = supervision.gpubench().start(arguments);
  std::this_thread::sleep_for(delay);
  process.send(SIGKILL);
  process.wait();
  CHECK(wait_until([&] { return !has_worker(supervision.gpubench().folder()); }));
}

bool has_plan(const Supervision& supervision) { return !supervision.journal().empty(); }

/// Continues the run; where it was killed before it had noted its plan that is refused, and it is started
/// anew.
void finish(const Supervision& supervision) {
  const bool is_resumable = has_plan(supervision);
  ProcessResult result = supervision.resume();
  INFO(result.err);
  CHECK(result.exit_code == (is_resumable ? 0 : 3));
  if (is_resumable) return;
  CHECK_THAT(result.err, contains_text("run.journal.jsonl"));
  result = supervision.run();
  INFO(result.err);
  CHECK(result.exit_code == 0);
}

/// Rows that were on the disk are in the document as they were, not measured once more.
void check_kept(const std::vector<Json>& journal, const Json& document) {
  for (const Json& event : journal) {
    if (event["event"] != "finished") continue;
    const Json& row = document["results"][event["position"].get<std::size_t>()];
    CHECK(row["facts"]["started_at"] == event["record"]["facts"]["started_at"]);
  }
}

Milliseconds length_of_a_run() {
  const Supervision supervision(kBehaviour);
  const auto start = std::chrono::steady_clock::now();
  CHECK(supervision.run().exit_code == 0);
  return std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - start);
}

/// A whole run with its files, for tests that damage them.
class FinishedRun {
 public:
  FinishedRun() { CHECK(supervision.run().exit_code == 0); }

  void rewrite(const std::string& text) const {
    std::ofstream(supervision.journal_path(), std::ios::binary | std::ios::trunc) << text;
  }

  Supervision supervision;
};

}  // namespace

TEST_CASE("a run killed at any moment is completed by --resume with each case once", "[seam]") {
  constexpr int kKills = 20;
  const Milliseconds length = length_of_a_run();
  std::mt19937 random(20240203);
  std::size_t resumed = 0;
  for (int kill = 0; kill < kKills; ++kill) {
    // One delay in each twentieth of the time that a run takes.
    const double part =
        (kill + static_cast<double>(random()) / static_cast<double>(std::mt19937::max())) / kKills;
    const Milliseconds delay(static_cast<int>(part * static_cast<double>(length.count())));
    INFO("killed after " << delay.count() << " of " << length.count() << " ms");
    const Supervision supervision(kBehaviour);
    run_and_kill(supervision, Supervision::arguments(), delay);
    const auto before = supervision.journal();
    resumed += before.empty() ? 0 : 1;
    finish(supervision);
    check_all_ok(supervision.document());
    check_kept(before, supervision.document());
    CHECK(supervision.count("planned") == 1);
    CHECK(supervision.count("finished") == 6);
  }
  // Else the kills would all have come too early to prove anything.
  CHECK(resumed > kKills / 2);
}

TEST_CASE("the torn last line of a journal is dropped with a warning", "[seam]") {
  const FinishedRun run;
  const std::string text = run.supervision.journal_text();
  const std::size_t last_case = text.rfind("\n{\"event\":\"finished\"") + 1;
  run.rewrite(text.substr(0, last_case + 100));
  const auto result = run.supervision.resume();
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, contains_text("its last line is torn (100 bytes) and was dropped"));
  check_all_ok(run.supervision.document());
}

TEST_CASE("a damaged line within a journal is an error that names it, and nothing is lost", "[seam]") {
  const FinishedRun run;
  std::string text = run.supervision.journal_text();
  text.replace(text.find('\n') + 1, 5, "#####");
  run.rewrite(text);
  for (const auto& result : {run.supervision.resume(), run.supervision.run()}) {
    CHECK(result.exit_code != 0);
    CHECK_THAT(result.err, contains_text("run.journal.jsonl: line 2 cannot be used"));
    CHECK(run.supervision.journal_text() == text);
  }
}

TEST_CASE("another plan does not continue a run, and what differs is said", "[seam]") {
  const FinishedRun run;
  const auto result =
      run.supervision.gpubench().run({"--resume", "run.json", "--model", "mlp", "--batch", "64"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, contains_text("--resume run.json: this run is another one"));
  CHECK_THAT(result.err, contains_text("cases: 6 in the journal, 1 now"));
  CHECK_THAT(result.err, contains_text("case 1, batch_size: 16 in the journal, 64 now"));
  check_all_ok(run.supervision.document());
}

TEST_CASE("a run that has ended is continued by doing nothing, from the journal as from the result",
          "[seam]") {
  const FinishedRun run;
  for (const std::string name : {"run.json", "run.journal.jsonl"}) {
    const auto result = run.supervision.gpubench().run({"--resume", name});
    INFO(result.err);
    CHECK(result.exit_code == 0);
    CHECK(run.supervision.count("started") == 6);
    check_all_ok(run.supervision.document());
  }
}

TEST_CASE("a run that was broken off is not overwritten by starting it again", "[seam]") {
  const Supervision supervision("--fault hang --only mlp:32");
  {
    StartedProcess process = supervision.gpubench().start(Supervision::arguments());
    CHECK(supervision.wait_for("epoch", 4));
  }
  const std::string before = supervision.journal_text();
  const auto result = supervision.run();
  CHECK(result.exit_code == 2);
  CHECK_THAT(
      result.err,
      contains_text("broken off with 1 of 6 cases done; continue it with 'gpubench --resume run.json'"));
  CHECK(supervision.journal_text() == before);
}

TEST_CASE("a journal that a running gpubench writes to is left alone", "[seam]") {
  const Supervision supervision("--fault hang --only mlp:32");
  StartedProcess process = supervision.gpubench().start(Supervision::arguments());
  REQUIRE(supervision.wait_for("epoch", 4));
  const std::string before = supervision.journal_text();
  for (const auto& result : {supervision.resume(), supervision.run()}) {
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, contains_text("another gpubench is writing to it"));
    CHECK(supervision.journal_text() == before);
  }
  CHECK(process.is_running());
}

TEST_CASE("there is nothing to continue where no journal is, or where a file is none", "[seam]") {
  const Supervision supervision;
  CHECK(supervision.resume().exit_code == 3);
  CHECK_FALSE(std::filesystem::exists(supervision.journal_path()));
  std::ofstream(supervision.journal_path()) << "shopping list\nmilk\n";
  const auto result = supervision.resume();
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.err, contains_text("line 1 cannot be used"));
  CHECK(supervision.journal_text() == "shopping list\nmilk\n");
}

}  // namespace gpubench::test::resume_test
