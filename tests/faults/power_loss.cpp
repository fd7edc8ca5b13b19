// Simulates power failures at every operation on the result file of a small run. The run has no store,
// because SQLite protects its own files. LIBRARY is the fault injector, which logs the operations. Each
// prefix of the log leads to N (--states) possible states of the disk.
//
//   gpubench_power_loss LIBRARY [--states N] [--resumed N]
//
// In each state, the result file must be missing or valid, and must contain all rows of the last synced file.
// The run must resume from N (--resumed) states, evenly distributed. Exits with 1 if a check fails.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <random>
#include <set>

#include <nlohmann/json.hpp>

#include "disk.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/schema.h"
#include "support/temp_dir.h"

namespace gpubench::test {
namespace {

namespace fs = std::filesystem;
using State = std::map<std::string, std::string>;

constexpr const char* kResult = "run.json";

const std::vector<std::string> kTraining = {
    "--model",       "mlp", "--batch",   "16,32",     "--epochs", "6",     "--device",   "cpu",
    "--max-samples", "4",   "--dataset", "synthetic", "--output", kResult, "--no-store", "--quiet"};

std::map<std::string, std::string> environment() {
  return {{"GPUBENCH_WORKER_PREFIX", stand_in_worker() + " --epoch-ms 1"}, {"XDG_CACHE_HOME", test_cache()}};
}

std::vector<Operation> log_run(const fs::path& library) {
  const TempDir dir;
  const fs::path log = dir.path() / "log";
  fs::create_directory(dir.path() / "folder");
  auto variables = environment();
  variables.insert(
      {{"LD_PRELOAD", library}, {"GPUBENCH_FAULT_IN", "supervisor"}, {"GPUBENCH_FAULT_LOG", log}});
  const auto result = run_process(gpubench_binary(), kTraining, dir.path() / "folder", variables);
  if (result.exit_code != 0) throw std::runtime_error("the run fails: " + result.err);
  return read_log(log);
}

std::ptrdiff_t count_finished(const nlohmann::json& document) {
  return std::ranges::count_if(document.at("results"),
                               [](const auto& row) { return row.at("status") == "ok"; });
}

void put(const State& state, const fs::path& folder) {
  for (const auto& [name, content] : state) std::ofstream(folder / name, std::ios::binary) << content;
}

class PowerLoss {
 public:
  PowerLoss(std::vector<Operation> operations, std::size_t states, std::size_t resumed)
      : operations_(std::move(operations)),
        states_(states),
        between_resumed_(
            std::max<std::size_t>(1, states_ * operations_.size() / std::max<std::size_t>(1, resumed))) {}

  int run() {
    Disk disk;
    for (const Operation& operation : operations_) {
      disk.apply(operation);
      note_survivors(disk);
      for (std::size_t i = 0; i < states_; ++i) check(disk);
    }
    std::printf("%zu operations, %zu states, %zu distinct, %zu resumed, %zu failures\n", operations_.size(),
                count_, different_.size(), resumed_, failures_);
    return failures_ == 0 && finished_ > 0 ? 0 : 1;
  }

 private:
  void note_survivors(const Disk& disk) {
    const State survivors = disk.survivors();
    has_result_ = survivors.contains(kResult);
    finished_ = has_result_ ? count_finished(nlohmann::json::parse(survivors.at(kResult))) : 0;
  }

  void check(const Disk& disk) {
    const State state = disk.after_power_failure(random_);
    std::string key;
    for (const auto& [name, content] : state) key += name + content;
    different_.insert(std::hash<std::string>()(key));
    const TempDir dir;
    put(state, dir.path());
    check_result(state);
    if (++count_ % between_resumed_ == 0) check_resumption(dir.path());
  }

  void check_result(const State& state) {
    const auto found = state.find(kResult);
    if (found == state.end()) {
      if (has_result_) report("the result is gone");
      return;
    }
    if (!nlohmann::json::accept(found->second)) return report("the result is torn");
    const nlohmann::json document = nlohmann::json::parse(found->second);
    if (count_finished(document) < finished_) report("a finished row is lost");
    if (checked_.insert(found->second).second && !schema_errors(document).empty())
      report("the result is not valid");
  }

  void check_resumption(const fs::path& folder) {
    ++resumed_;
    const auto resume = [&](const std::vector<std::string>& words) {
      return run_process(gpubench_binary(), words, folder, environment());
    };
    // Without a result file the run restarts.
    const bool is_known = fs::exists(folder / kResult);
    const ProcessResult result =
        resume(is_known ? std::vector<std::string>{"--resume", kResult, "--quiet"} : kTraining);
    // Resuming a complete run succeeds, too.
    if (result.exit_code != 0) return report("the run does not resume: " + result.err);
    std::ifstream in(folder / kResult);
    const nlohmann::json document = nlohmann::json::parse(in);
    if (count_finished(document) != 2 || !schema_errors(document).empty())
      report("the result of the resumed run is not valid");
  }

  void report(const std::string& what) {
    if (++failures_ <= kMostShown) std::cout << "state " << count_ << ": " << what << "\n";
  }

  static constexpr std::size_t kMostShown = 20;

  std::vector<Operation> operations_;
  std::size_t states_;
  std::size_t between_resumed_;
  std::mt19937 random_;  // Fixed seed, so that failures are reproducible.
  std::set<std::string> checked_;
  std::set<std::size_t> different_;
  std::ptrdiff_t finished_ = 0;
  bool has_result_ = false;
  std::size_t count_ = 0;
  std::size_t resumed_ = 0;
  std::size_t failures_ = 0;
};

std::size_t number_after(const std::vector<std::string>& words, const std::string& option,
                         std::size_t otherwise) {
  const auto found = std::ranges::find(words, option);
  return found == words.end() || found + 1 == words.end() ? otherwise : std::stoul(*(found + 1));
}

}  // namespace
}  // namespace gpubench::test

int main(int argc, char** argv) {
  using namespace gpubench::test;
  if (argc < 2) {
    std::fputs("usage: gpubench_power_loss LIBRARY [--states N] [--resumed N]\n", stderr);
    return 2;
  }
  const std::vector<std::string> words(argv + 1, argv + argc);
  return PowerLoss(log_run(fs::absolute(words[0])), number_after(words, "--states", 20),
                   number_after(words, "--resumed", 20))
      .run();
}
