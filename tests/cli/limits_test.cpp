// Runs without enough memory, and the cost of the supervisor.

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "supervision.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/schema.h"

namespace gpubench::test::limits_test {

namespace {

/// Returns the value of this key in /proc/ID/status, in KiB.
long status_figure(pid_t id, const std::string& wanted) {
  std::ifstream in("/proc/" + std::to_string(id) + "/status");
  for (std::string key; in >> key;) {
    long figure = 0;
    if (key == wanted && in >> figure) return figure;
  }
  return -1;
}

/// Returns user plus system time of the process, in seconds.
double cpu_seconds(pid_t id) {
  std::ifstream in("/proc/" + std::to_string(id) + "/stat");
  std::ostringstream text;
  text << in.rdbuf();
  // The name before it ends at the last closing parenthesis.
  std::istringstream fields(text.str().substr(text.str().rfind(')') + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// Returns the arguments of a run with one case on the real engine.
struct RealRun {
  explicit RealRun(const std::vector<std::string>& arguments) {
    result = gpubench.run(arguments);
    INFO(result.err);
    const Json document = Json::parse(std::ifstream(gpubench.folder() / "run.json"));
    CHECK(schema_errors(document).empty());
    REQUIRE(document["results"].size() == 1);
    row = document["results"][0];
  }

  Gpubench gpubench;
  ProcessResult result;
  Json row;
};

std::vector<std::string> real(const std::vector<std::string>& more) {
  std::vector<std::string> words{"--model", "mlp",      "--dataset", "synthetic", "--epochs",
                                 "2",       "--device", "cpu",       "-o",        "run.json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("the supervisor of a running case needs little memory and CPU time") {
  if (!std::filesystem::exists("/proc/self/stat")) {
    WARN("skipped: this system has no /proc to read the figures from");
    return;
  }
  if (has_sanitized_memory()) return;
  Gpubench gpubench;
  gpubench.set("GPUBENCH_WORKER_PREFIX", stand_in_worker() + " --fault hang");
  // The largest dataset has 184 MB, which the supervisor must release.
  StartedProcess process =
      gpubench.start({"--model", "resnet50", "--dataset", "synthetic", "--device", "cpu", "-o", "run.json"});
  REQUIRE(wait_until([&] { return count_stored(gpubench.store()).epochs > 0; }));
  CHECK(status_figure(process.id(), "VmRSS:") > 0);
  CHECK(status_figure(process.id(), "VmRSS:") < 100 * 1024);

  const auto start = std::chrono::steady_clock::now();
  const double before = cpu_seconds(process.id());
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const double used = cpu_seconds(process.id()) - before;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  REQUIRE(process.is_running());
  CHECK(used <= 0.01 * elapsed.count());
}

#ifdef __linux__
TEST_CASE("a real case with a failed allocation is out of memory, and its message has the size", "[seam]") {
  if (has_sanitized_memory()) return;
  const RealRun run(real({"--batch", "60000", "--memory-limit", "64M"}));
  INFO(run.row.dump());
  CHECK(run.result.exit_code == 5);
  CHECK(run.row["status"] == "oom");
  CHECK(run.row["requested_bytes"].get<double>() > 0);
}
#endif

}  // namespace gpubench::test::limits_test
