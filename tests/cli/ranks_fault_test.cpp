// Runs with failing, killed or many ranks. The workers are stand-ins.

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "supervision.h"
#include "support/catch.h"

namespace gpubench::test::ranks_fault_test {

namespace {

namespace fs = std::filesystem;

/// Returns the pids of processes with the variable in their environment. Works only on Linux.
std::vector<pid_t> marked(const std::string& mark) {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (to_text(entry.path() / "environ").find(mark) != std::string::npos) found.push_back(std::stoi(name));
  }
  return found;
}

/// Six cases of two ranks each, with stand-in workers.
struct Group {
  explicit Group(const std::string& behaviour, int count = 2) : supervision(behaviour), ranks(count) {}

  ProcessResult run(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"--world-size", std::to_string(ranks)};
    all.insert(all.end(), more.begin(), more.end());
    return supervision.run(all);
  }

  Supervision supervision;
  int ranks;
};

}  // namespace

TEST_CASE("a failing rank is named in the status of its case, and the other cases are measured", "[seam]") {
  const std::tuple<std::string, std::string, std::string> faults[] = {
      {"kill9", "crashed", "ended by signal 9"},
      {"abort", "crashed", "ended by signal 6"},
      {"exit7", "crashed", "exit code 7"},
      {"oom", "oom", "injected fault: out of memory"},
      {"garbage", "error", "sent an invalid message"},
      {"error", "error", "injected fault"}};
  const int rank = GENERATE(0, 1);
  for (const auto& [fault, status, part] : faults) {
    const Group group("--fault " + fault + " --only mlp:32 --rank " + std::to_string(rank) +
                      " --epoch-ms 20");
    const auto result = group.run();
    INFO(fault << " in rank " << rank << ": " << result.err);
    CHECK(result.exit_code == 5);
    const Json document = group.supervision.document();
    check_whole(document);
    // Larger batches are skipped after a smaller one has run out of memory.
    CHECK(statuses(document) == "ok " + status + (fault == "oom" ? " skipped" : " ok") + " ok ok ok ");
    const std::string message = to_row(document, "mlp", 32)["status_message"];
    CHECK_THAT(message, contains_text("rank " + std::to_string(rank)));
    CHECK_THAT(message, contains_text(part));
  }
}

TEST_CASE("a lost connection is reported as such, unless a rank reports a failure of its own", "[seam]") {
  const Group lost("--fault lost --only mlp:32");
  CHECK(lost.run().exit_code == 5);
  const Json row = to_row(lost.supervision.document(), "mlp", 32);
  CHECK(row["status"] == "error");
  CHECK_THAT(row["status_message"].get<std::string>(), contains_text("lost connection to another rank"));

  // Rank 0 loses the connection before the worker of rank 1 exits.
  Group killed("");
  Gpubench& gpubench = const_cast<Gpubench&>(killed.supervision.gpubench());
  const fs::path script = gpubench.folder() / "worker.sh";
  std::ofstream(script) << "how='lost --epoch-ms 1'; [ \"$RANK\" != 1 ] || how='kill9 --epoch-ms 300'\n"
                        << "exec " << stand_in_worker() << " --only mlp:32 --fault $how \"$@\"\n";
  gpubench.set("GPUBENCH_WORKER_PREFIX", "sh " + script.string());
  CHECK(killed.run().exit_code == 5);
  const Json other = to_row(killed.supervision.document(), "mlp", 32);
  CHECK(other["status"] == "crashed");
  CHECK_THAT(other["status_message"].get<std::string>(), contains_text("rank 1 ("));
}

TEST_CASE("a case with a hanging rank ends at --timeout, and the next one runs", "[seam]") {
  const int rank = GENERATE(0, 1);
  const Group group("--fault hang --only mlp:32 --rank " + std::to_string(rank));
  const auto result = group.run({"--timeout", "1s"});
  INFO(result.err);
  const Json document = group.supervision.document();
  CHECK(statuses(document) == "ok timeout ok ok ok ok ");
  CHECK_THAT(to_row(document, "mlp", 32)["status_message"].get<std::string>(), contains_text("--timeout"));
}

TEST_CASE("a killed rank is named, later cases report the lost connection, and --resume runs them",
          "[seam]") {
  const Group group("--epoch-ms 100");
  const std::string mark = "GPUBENCH_TEST_MARK=" + group.supervision.gpubench().folder().string();
  const_cast<Gpubench&>(group.supervision.gpubench())
      .set("GPUBENCH_TEST_MARK", group.supervision.gpubench().folder().string());
  auto arguments = Supervision::arguments({"--world-size", "3"});
  StartedProcess process = group.supervision.gpubench().start(arguments);
  REQUIRE(group.supervision.wait_for({.begun = 2}));
  const auto peer = [&] {
    for (const pid_t pid : marked(mark)) {
      const std::string environment = to_text(fs::path("/proc") / std::to_string(pid) / "environ");
      const std::string words = to_text(fs::path("/proc") / std::to_string(pid) / "cmdline");
      const bool is_worker = words.find("stand_in_worker") != std::string::npos;
      if (environment.find("\nRANK=2") == std::string::npos &&
          environment.find(std::string(1, '\0') + "RANK=2") == std::string::npos)
        continue;
      if (!is_worker) return pid;
    }
    return pid_t{0};
  }();
  REQUIRE(peer > 0);
  kill(peer, SIGKILL);
  const auto result = process.wait();
  INFO(result.err);
  CHECK(result.exit_code == 5);
  const Json document = group.supervision.document();
  check_whole(document);
  std::string messages;
  for (const Json& row : document["results"]) {
    if (row["status"] != "ok") messages += row["status_message"].get<std::string>() + "\n";
  }
  CHECK_THAT(messages, contains_text("rank 2 ("));
  CHECK_THAT(messages, contains_text("connection lost in an earlier row"));
  CHECK(wait_until([&] { return marked(mark).empty(); }));
  const auto resumed = group.supervision.resume();
  INFO(resumed.err);
  CHECK(resumed.exit_code == 0);
  check_all_ok(group.supervision.document());
}

TEST_CASE("ranks of a resumed run use the data, allocator and wrapper of the first run") {
  Gpubench gpubench;
  const fs::path folder = gpubench.folder();
  fs::create_directory(folder / "mine");
  fs::copy(fs::path(fixtures_dir()) / "fashion-mnist", folder / "mine" / "fashion-mnist",
           fs::copy_options::recursive);
  std::ofstream(folder / "noted.sh")
      << "echo \"rank ${RANK:-0}: $GPUBENCH_ALLOCATOR\" >>started; exec \"$@\"\n";
  const std::string noted = "sh " + (folder / "noted.sh").string() + " " + stand_in_worker();
  gpubench.set("GPUBENCH_DATA_DIR", "");
  gpubench.set("GPUBENCH_ALLOCATOR", "system");
  gpubench.set("GPUBENCH_WORKER_PREFIX", noted + " --fault error --only mlp:32 --rank 1");
  const auto first = gpubench.run({"--model", "mlp",        "--dataset", "fashion-mnist", "--max-samples",
                                   "64",      "--batch",    "32",        "--epochs",      "2",
                                   "--meter", "none",       "--device",  "cpu",           "--world-size",
                                   "2",       "--data-dir", "mine",      "--offline",     "-q",
                                   "-o",      "run.json"});
  INFO(first.err);
  REQUIRE(first.exit_code == 5);
  fs::remove(folder / "started");
  gpubench.set("GPUBENCH_WORKER_PREFIX", noted);
  const auto resumed = gpubench.run({"--resume", "run.json", "--data-dir", "mine"});
  INFO(resumed.err);
  CHECK(resumed.exit_code == 0);
  std::istringstream started(to_text(folder / "started"));
  std::size_t of_other_rank = 0;
  for (std::string line; std::getline(started, line);) {
    INFO(line);
    CHECK(line.ends_with(": system"));
    if (line.starts_with("rank 1: ")) ++of_other_rank;
  }
  CHECK(of_other_rank >= 1);
}

TEST_CASE("after random kills, runs end without leftover processes, and --resume completes them") {
  std::mt19937 random(22);
  for (int round = 0; round < 20; ++round) {
    Group group("--epoch-ms 5", 3);
    const std::string folder = group.supervision.gpubench().folder().string();
    const std::string mark = "GPUBENCH_TEST_MARK=" + folder;
    const_cast<Gpubench&>(group.supervision.gpubench()).set("GPUBENCH_TEST_MARK", folder);
    StartedProcess process =
        group.supervision.gpubench().start(Supervision::arguments({"--world-size", "3"}));
    std::this_thread::sleep_for(std::chrono::milliseconds(std::uniform_int_distribution(0, 400)(random)));
    const auto all = marked(mark);
    const pid_t victim =
        all.empty() ? 0 : all[std::uniform_int_distribution<std::size_t>(0, all.size() - 1)(random)];
    if (victim > 0) kill(victim, SIGKILL);
    const auto result = process.wait();
    INFO("round " << round << ": " << result.err);
    CHECK(wait_until([&] { return marked(mark).empty(); }));
    if (group.supervision.stored().rows == 0) continue;  // It was killed before its start.
    const auto resumed = group.supervision.resume();
    INFO("resumed: " << resumed.err);
    CHECK(resumed.exit_code == 0);
    check_all_ok(group.supervision.document());
  }
}

}  // namespace gpubench::test::ranks_fault_test
