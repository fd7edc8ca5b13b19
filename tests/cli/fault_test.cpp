// A worker that fails in every way: its case is a row that says how, and all others are measured.

#include <filesystem>

#include "supervision.h"
#include "support/catch.h"

namespace gpubench::test::fault_test {

namespace {

/// Runs six cases of which mlp at batch 32, the second, has the fault.
struct FaultyRun {
  explicit FaultyRun(const std::string& fault, const std::vector<std::string>& more = {})
      : supervision("--fault " + fault + " --only mlp:32"), result(supervision.run(more)) {
    INFO(result.err);
    CHECK(result.exit_code == 5);
    document = supervision.document();
    check_whole(document);
    row = to_row(document, "mlp", 32);
  }

  std::string message() const { return row["status_message"]; }

  Supervision supervision;
  ProcessResult result;
  Json document;
  Json row;
};

bool has_line(const Json& row, const std::string& part) {
  for (const std::string line : row["stderr_tail"]) {
    if (line.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("cases of a worker that behaves are ok, with what their processes took", "[seam]") {
  const Supervision supervision;
  const auto result = supervision.run();
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const Json document = supervision.document();
  check_all_ok(document);
  for (const Json& row : document["results"]) {
    CHECK(row["facts"]["process_seconds"].get<double>() > 0);
    CHECK(row["facts"]["peak_host_bytes"].get<double>() > 0);
  }
  CHECK(supervision.stored().ended == 6);
}

TEST_CASE("a fault in a case costs its row, of which the first epoch is kept, and no other", "[seam]") {
  struct Fault {
    std::string name;
    std::string status;
    std::string message;
    std::vector<std::string> options = {};
  };
  const std::vector<Fault> faults = {
      {"segv", "crashed", "signal 11 ("},
      {"kill9", "crashed", "signal 9 ("},
      {"chatter", "crashed", "signal 6 ("},
      {"exit0", "crashed", "exit code 0 and without a result"},
      {"exit7", "crashed", "exit code 7 and without a result"},
      // It has a thread that ends it where the supervisor hangs up, which may be the first to do so.
      {"close-replies", "crashed", "and without a result"},
      {"hang", "timeout", "--timeout", {"--timeout", "1s"}},
      {"stop", "timeout", "--timeout", {"--timeout", "1s"}},
      {"stop", "timeout", "suspended by SIGSTOP"},
      {"garbage", "error", "this is "},
      {"endless-line", "error", "an endless line"},
      {"empty-epoch", "error", "no message"},
      {"error", "error", "injected fault"},
      {"wrong-answer", "error", "another answer"},
  };
  for (const Fault& fault : faults) {
    INFO(fault.name);
    const FaultyRun run(fault.name, fault.options);
    CHECK(statuses(run.document) == "ok " + fault.status + " ok ok ok ok ");
    CHECK_THAT(run.message(), contains_text(fault.message));
    CHECK(run.row["samples"]["epoch_seconds"].size() == 1);
    CHECK(run.row["facts"]["process_seconds"].get<double>() > 0);
    CHECK(run.row["facts"]["peak_host_bytes"].get<double>() > 0);
    CHECK(run.row["stderr_tail"].size() <= 20);
    if (fault.message.starts_with("signal")) CHECK(has_line(run.row, "the fake worker is about to fail"));
    if (fault.name == "chatter") CHECK(has_line(run.row, "noise 99999"));
  }
}

TEST_CASE("a trial of layouts whose process crashes costs the case nothing but its layout", "[seam]") {
  const Supervision supervision("--fault trial-segv");
  CHECK(supervision.run().exit_code == 0);
  const Json document = supervision.document();
  check_all_ok(document);
  for (const Json& row : document["results"])
    CHECK_THAT(row["facts"]["layout_note"].get<std::string>(), contains_text("the trial ended as crashed: "));
}

TEST_CASE("a worker that is stopped before it says anything does not hold the run up", "[seam]") {
  const Supervision supervision("--fault stop-at-start");
  const auto result = supervision.run({"--timeout", "1s"});
  CHECK(result.exit_code == 2);  // Whose words are before the worker's may be at fault.
  CHECK_THAT(result.err, contains_text("GPUBENCH_WORKER_PREFIX="));
  CHECK_THAT(result.err, contains_text("cannot query the devices: suspended by SIGSTOP"));
}

TEST_CASE("after a case ran out of memory the larger batches of its model are skipped and say so", "[seam]") {
  const FaultyRun run("oom");
  CHECK(statuses(run.document) == "ok oom skipped ok ok ok ");
  CHECK(run.row["requested_bytes"] == 1 << 30);
  CHECK(run.row["available_bytes"] == 1 << 20);
  const Json skipped = to_row(run.document, "mlp", 64);
  CHECK(skipped["skip_rule"] == "after-oom");
  CHECK_THAT(skipped["status_message"].get<std::string>(),
             contains_text("mlp on cpu, fashion-mnist, batch 32"));
  CHECK(skipped["samples"]["epoch_seconds"].empty());
}

#ifdef __linux__
TEST_CASE("a process that is refused memory and dies of it is out of memory, not crashed", "[seam]") {
  if (has_sanitized_memory()) return;
  const FaultyRun run("bad-alloc", {"--memory-limit", "64M"});
  CHECK(statuses(run.document) == "ok oom skipped ok ok ok ");
  CHECK(has_line(run.row, "bad_alloc"));
  const FaultyRun unchecked("segv-for-want", {"--memory-limit", "64M"});
  CHECK(statuses(unchecked.document) == "ok oom skipped ok ok ok ");
}
#endif

TEST_CASE("a process that ends and says that memory ran out is out of memory, not crashed", "[seam]") {
  const FaultyRun run("out-of-memory");
  CHECK(statuses(run.document) == "ok oom skipped ok ok ok ");
}

TEST_CASE("a worker that cannot answer the first question ends the run with its reason", "[seam]") {
  for (const auto& [prefix, part] : {std::pair("/bin/false", "exit code 1"),
                                     {"/bin/echo", "without a result"},
                                     {"/nowhere/at-all", "cannot be started"}}) {
    Gpubench gpubench;
    gpubench.set("GPUBENCH_WORKER_PREFIX", prefix);
    const auto result = gpubench.run(Supervision::arguments());
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, contains_text(std::string("GPUBENCH_WORKER_PREFIX=") + prefix));
    CHECK_THAT(result.err, contains_text(part));
    CHECK_FALSE(std::filesystem::exists(gpubench.folder() / "run.json"));
  }
}

}  // namespace gpubench::test::fault_test
