#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/files/result_file.h"
#include "app/run/launched_group.h"
#include "app/train_options.h"
#include "engine/execution/executor.h"
#include "engine/isolation/child_process.h"
#include "engine/isolation/isolated_executor.h"
#include "engine/machine/facts.h"
#include "gpubench/core/clock.h"

namespace gpubench {

/// The common part of plans of trainings and tables.
class PlannedWork {
 public:
  /// Throws a usage Error for what is wrong without asking the engine.
  PlannedWork(const RunOptions& given, const std::vector<std::string>& given_arguments);
  PlannedWork(const PlannedWork&) = delete;
  PlannedWork& operator=(const PlannedWork&) = delete;

  std::vector<std::string> arguments;   ///< For the result.
  std::string started_at;               ///< As utc_timestamp() has it.
  Seconds begin = SteadyClock().now();  ///< Time before the first case counts for --budget too.
  std::optional<Seconds> timeout;
  ProcessFactory workers;
  EngineFacts facts;

  const RunOptions& common() const { return common_; }
  /// Threads that were asked for, or that each rank gets; 0: LibTorch chooses.
  int threads() const { return common_.threads; }
  std::vector<std::string> device_names() const;
  /// Measures the device's peak again; nothing if that fails.
  std::optional<DeviceRecord> renewed_peak(const std::string& device) const;
  std::optional<ResultFile> open_output(const std::string& prefix) const;

 protected:
  /// Sets `workers` and `facts`. Repetitions start fresh workers, so that memory layouts differ.
  void ask_engine(FactsRequest request, bool is_repeated);
  /// Sets the number of threads if it was not given. Call before ask_engine().
  void use_threads(int threads);

 private:
  EngineFacts make_facts(const FactsRequest& request) const;

  RunOptions common_;
};

/// All that is decided before data is read.
struct PlannedRun : PlannedWork {
  PlannedRun(const TrainOptions& given, const std::vector<std::string>& given_arguments);

  TrainOptions options;
  std::optional<Seconds> budget;
  /// Seed of the order of repetitions: that of the first case.
  std::int64_t order_seed() const { return cases.front().asked.seed; }

  std::string suite;         ///< Name of the suite; empty: none.
  bool is_repeated = false;  ///< See ask_engine().
  bool is_plain = false;     ///< Nothing says how long or how often to train: cases are repeated.
  std::vector<Case> cases;
  LaunchedGroup launched;  ///< Other ranks, for cases of several.
};

/// Loads each dataset once, before anything is measured.
class DatasetStore {
 public:
  /// Throws a data Error for a named dataset that is missing or bad; replaces one chosen by `auto` by a
  /// synthetic one. The samples go to `shared`, so that this process stays small.
  DatasetStore(const std::vector<Case>& cases, const DataOptions& options, bool is_quiet,
               SharedDatasets& shared);

  DataFacts make_facts(const Case& c) const { return facts_.at(c.dataset->name); }

  const std::vector<DatasetRecord>& records() const { return records_; }

 private:
  std::vector<DatasetRecord> records_;
  std::map<std::string, DataFacts> facts_;
};

/// Shows downloads on stderr if that is a terminal, unless quiet.
DownloadProgress download_progress(bool is_quiet);

/// Power meters of a run, read in the background once cases are run.
class PowerWatch {
 public:
  /// Opens the meters for the devices in `facts` if anything is measured. Throws usage and data Errors.
  PowerWatch(const TrainOptions& options, const EngineFacts& facts, const Clock& clock);

  /// Adds to rows their energy, or the reason for none.
  Observer& observer() { return *observer_; }

 private:
  std::unique_ptr<SamplerPause> pause_;
  std::unique_ptr<PowerSampler> sampler_;  // Null if there is no source.
  std::unique_ptr<Observer> observer_;
};

/// Throws a usage Error for a wrong --memory-limit.
ExecutionOptions execution_options(const TrainOptions& options, int threads,
                                   const std::optional<Seconds>& timeout);

/// Throws a usage Error for a value that --threads cannot have.
void check_threads(int threads);

/// Returns the words in GPUBENCH_WORKER_PREFIX, which come before the command of each process that measures.
std::vector<std::string> worker_prefix();

}  // namespace gpubench
