// Failing workers: the case becomes a row with the reason, and all other cases are measured.

#include <filesystem>

#include "supervision.h"
#include "support/catch.h"

namespace gpubench::test::fault_test {

namespace {

/// Runs six cases. The second one, mlp at batch 32, has the fault.
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

TEST_CASE("cases without a fault are ok and have the times of their processes", "[seam]") {
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

TEST_CASE("a fault affects only its row, which keeps its first epoch", "[seam]") {
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
      // Its watcher thread may end it before the supervisor kills it.
      {"close-replies", "crashed", "and without a result"},
      {"hang", "timeout", "--timeout", {"--timeout", "1s"}},
      {"stop", "timeout", "--timeout", {"--timeout", "1s"}},
      {"stop", "timeout", "suspended by SIGSTOP"},
      {"garbage", "error", "this is "},
      {"endless-line", "error", "an endless line"},
      {"empty-epoch", "error", "an invalid message"},
      {"error", "error", "injected fault"},
      {"wrong-answer", "error", "an unexpected reply"},
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

TEST_CASE("a crash during the layout trial costs the case only the better layout", "[seam]") {
  const Supervision supervision("--fault trial-segv");
  CHECK(supervision.run().exit_code == 0);
  const Json document = supervision.document();
  check_all_ok(document);
  for (const Json& row : document["results"])
    CHECK_THAT(row["facts"]["layout_note"].get<std::string>(), contains_text("the trial ended as crashed: "));
}

TEST_CASE("a worker that is stopped before its first reply does not block the run", "[seam]") {
  const Supervision supervision("--fault stop-at-start");
  const auto result = supervision.run({"--timeout", "1s"});
  CHECK(result.exit_code == 2);  // A usage error, since GPUBENCH_WORKER_PREFIX may be the cause.
  CHECK_THAT(result.err, contains_text("GPUBENCH_WORKER_PREFIX="));
  CHECK_THAT(result.err, contains_text("cannot query the devices: suspended by SIGSTOP"));
}

TEST_CASE("after a case runs out of memory, larger batches of its model are skipped with a reason",
          "[seam]") {
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
TEST_CASE("a process that dies of a failed allocation is out of memory, not crashed", "[seam]") {
  if (has_sanitized_memory()) return;
  const FaultyRun run("bad-alloc", {"--memory-limit", "64M"});
  CHECK(statuses(run.document) == "ok oom skipped ok ok ok ");
  CHECK(has_line(run.row, "bad_alloc"));
  const FaultyRun unchecked("segv-for-want", {"--memory-limit", "64M"});
  CHECK(statuses(unchecked.document) == "ok oom skipped ok ok ok ");
}
#endif

TEST_CASE("a process that reports a lack of memory is out of memory, not crashed", "[seam]") {
  const FaultyRun run("out-of-memory");
  CHECK(statuses(run.document) == "ok oom skipped ok ok ok ");
}

TEST_CASE("a worker that fails at device discovery ends the run with its reason", "[seam]") {
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
