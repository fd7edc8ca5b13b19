// Power failures at every moment of a small sweep, in simulation: what the sweep did to its files is noted by
// the fault injector, and for each beginning of that several states are made in which a disk may be then.
//
//   gpubench_power_loss LIBRARY [--states N] [--resumed N]
//
// Of each: the result is one that was written, whole, or none; what was journalled as finished and synced is
// in the journal. The run goes on from so many of them, evenly chosen. Ends with 1 where something did not
// hold.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <random>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "disk.h"
#include "engine/sweep/journal.h"
#include "gpubench/core/error.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/schema.h"
#include "support/temp_dir.h"

namespace gpubench::test {
namespace {

namespace fs = std::filesystem;
using State = std::map<std::string, std::string>;

constexpr const char* kResult = "run.json";
constexpr const char* kJournal = "run.journal.jsonl";

const std::vector<std::string> kTraining = {"--model",   "mlp",       "--batch",  "16,32",         "--epochs",
                                            "6",         "--device",  "cpu",      "--max-samples", "4",
                                            "--dataset", "synthetic", "--output", kResult,         "--quiet"};

std::map<std::string, std::string> environment() {
  return {{"GPUBENCH_WORKER_PREFIX", stand_in_worker() + " --epoch-ms 1"}, {"XDG_CACHE_HOME", test_cache()}, {"XDG_STATE_HOME", test_cache()}};
}

std::vector<Operation> operations_of_a_run(const fs::path& library) {
  const TempDir dir;
  const fs::path log = dir.path() / "log";
  fs::create_directory(dir.path() / "folder");
  auto variables = environment();
  variables.insert(
      {{"LD_PRELOAD", library}, {"GPUBENCH_FAULT_IN", "supervisor"}, {"GPUBENCH_FAULT_LOG", log}});
  const auto result = run_process(gpubench_binary(), kTraining, dir.path() / "folder", variables);
  if (result.exit_code != 0) throw std::runtime_error("the sweep fails: " + result.err);
  return read_log(log);
}

std::size_t finished_lines(const std::string& journal) {
  std::istringstream lines(journal.substr(0, journal.rfind('\n') + 1));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);)
    count += line.find("\"finished\"") != std::string::npos ? 1 : 0;
  return count;
}

std::size_t results_in(const JournalState& state) {
  return static_cast<std::size_t>(
      std::ranges::count_if(state.rows, [](const auto& row) { return row.result.has_value(); }));
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
    std::printf("%zu operations, %zu states, %zu of them different, %zu resumed, %zu complaints\n",
                operations_.size(), count_, different_.size(), resumed_, complaints_);
    return complaints_ == 0 && finished_ > 0 ? 0 : 1;
  }

 private:
  void note_survivors(const Disk& disk) {
    const State survivors = disk.survivors();
    has_result_ = survivors.contains(kResult);
    const auto journal = survivors.find(kJournal);
    finished_ = journal == survivors.end() ? 0 : finished_lines(journal->second);
    has_plan_ = journal != survivors.end() && journal->second.find('\n') != std::string::npos;
  }

  void check(const Disk& disk) {
    const State state = disk.after_power_failure(random_);
    std::string key;
    for (const auto& [name, content] : state) key += name + content;
    different_.insert(std::hash<std::string>()(key));
    const TempDir dir;
    put(state, dir.path());
    check_result(state);
    check_journal(dir.path());
    if (++count_ % between_resumed_ == 0) check_resumption(dir.path());
  }

  void check_result(const State& state) {
    const auto found = state.find(kResult);
    if (found == state.end()) {
      if (has_result_) complain("the result is gone");
      return;
    }
    if (!nlohmann::json::accept(found->second)) return complain("the result is torn");
    if (checked_.insert(found->second).second && !schema_errors(nlohmann::json::parse(found->second)).empty())
      complain("the result is not valid");
  }

  void check_journal(const fs::path& folder) {
    try {
      const JournalState state = read_journal(folder / kJournal);
      if (results_in(state) < finished_) complain("a finished row is lost");
    } catch (const Error& error) {
      if (has_plan_) complain(error.what());
    }
  }

  void check_resumption(const fs::path& folder) {
    ++resumed_;
    const auto resume = [&](const std::vector<std::string>& words) {
      return run_process(gpubench_binary(), words, folder, environment());
    };
    ProcessResult result = resume({"--resume", kResult, "--quiet"});
    // Before its plan was on the disk the run is started anew.
    if (!has_plan_ && result.exit_code == 3) result = resume(kTraining);
    if (result.exit_code != 0) return complain("it does not go on: " + result.err);
    std::ifstream in(folder / kResult);
    const nlohmann::json document = nlohmann::json::parse(in);
    if (document.at("results").size() != 2 || !schema_errors(document).empty())
      complain("what it went on to is not valid");
  }

  void complain(const std::string& what) {
    if (++complaints_ <= kMostShown) std::cout << "state " << count_ << ": " << what << "\n";
  }

  static constexpr std::size_t kMostShown = 20;

  std::vector<Operation> operations_;
  std::size_t states_;
  std::size_t between_resumed_;
  std::mt19937 random_;  // Always the same, so that what is found is found again.
  std::set<std::string> checked_;
  std::set<std::size_t> different_;
  std::size_t finished_ = 0;
  bool has_plan_ = false;
  bool has_result_ = false;
  std::size_t count_ = 0;
  std::size_t resumed_ = 0;
  std::size_t complaints_ = 0;
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
  return PowerLoss(operations_of_a_run(fs::absolute(words[0])), number_after(words, "--states", 20),
                   number_after(words, "--resumed", 20))
      .run();
}
