#pragma once
// From a command line to the work: suite, engine's facts, plan.

#include <optional>
#include <string>
#include <vector>

#include "app/files/result_file.h"
#include "app/run/launched_group.h"
#include "app/train_options.h"
#include "engine/isolation/child_process.h"
#include "engine/machine/facts.h"
#include "gpubench/core/clock.h"

namespace gpubench {

/// Where a result goes.
struct RunOutput {
  std::optional<ResultFile> file;  ///< Missing where the document goes to stdout.
  bool is_shared = false;          ///< The result is redacted; the journal is not.
  bool is_quiet = false;
  bool overwrites = false;  ///< What is there of another run.
};

/// What trainings and tables of operations have before any row is run.
class PlannedWork {
 public:
  /// Throws a usage Error for what can be told wrong without the engine.
  PlannedWork(const RunOptions& given, const std::vector<std::string>& given_arguments);
  PlannedWork(const PlannedWork&) = delete;
  PlannedWork& operator=(const PlannedWork&) = delete;

  std::vector<std::string> arguments;   ///< For the result.
  std::string started_at;               ///< As utc_timestamp() has it.
  Seconds begin = SteadyClock().now();  ///< What comes before the first case counts for --budget too.
  std::optional<Seconds> timeout;
  ProcessFactory workers;  ///< Empty where all runs in this process.
  EngineFacts facts;

  bool is_isolated() const { return common_.isolate == "process"; }
  /// The engine in this process, with the allocator that was asked for.
  const Engine& engine() const;
  /// That were asked for, or that each rank gets; 0 where LibTorch chooses.
  int threads() const { return common_.threads; }
  /// Of the devices, each once.
  std::vector<std::string> device_names() const;
  /// The device with its peak measured anew; nothing where that fails.
  std::optional<DeviceRecord> renewed_roof(const std::string& device) const;
  /// The name of a new file begins with `prefix`. Throws a usage Error where it cannot be written.
  RunOutput output(const std::string& prefix) const;

 protected:
  /// Sets `workers` and `facts`. With repetitions each worker begins with its own program, so that what
  /// differs between runs, such as the places of libraries in memory, differs between them too.
  void ask_engine(const std::vector<std::string>& devices, bool is_repeated);
  /// Instead of what was asked for, where that is 0. To be called before ask_engine().
  void use_threads(int threads);

 private:
  EngineFacts make_facts(const FactsRequest& request) const;
  EngineFacts facts_of_worker(const FactsRequest& request) const;

  RunOptions common_;
};

/// All that is decided before data is read. Cases point into `models`, so it stays where it is.
struct PlannedRun : PlannedWork {
  PlannedRun(const TrainOptions& given, const std::vector<std::string>& given_arguments);

  TrainOptions options;
  std::optional<Seconds> budget;
  std::string suite;         ///< Name of the suite; empty where there is none.
  bool is_repeated = false;  ///< Whether each worker begins with its own program; see ask_engine().
  Catalog<ModelEntry> models;
  std::vector<Case> cases;
  LaunchedGroup launched;  ///< Other ranks, for cases of several.
};

/// Throws a usage Error for a value that --threads cannot have.
void check_threads(int threads);

/// What GPUBENCH_WORKER_PREFIX puts before the command of each process that measures, split at blanks.
std::vector<std::string> worker_prefix();

/// What --isolate can be.
std::vector<std::string> isolation_names();

}  // namespace gpubench
