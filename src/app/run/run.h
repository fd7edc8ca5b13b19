#pragma once
// A run of any workload: its plan, its execution, the store and the result file.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/train_options.h"
#include "engine/execution/executor.h"
#include "engine/isolation/child_process.h"
#include "engine/isolation/isolated_executor.h"
#include "engine/machine/facts.h"
#include "engine/plan/work.h"
#include "engine/ranks/process_group.h"
#include "engine/sweep/sweep.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/error.h"
#include "store/optional_store.h"

namespace gpubench {

/// Returns `file`, else GPUBENCH_STORE, else the store of this host; empty if HOME is not set.
std::filesystem::path find_store(const std::string& file);

/// Opens find_store(). Returns an empty store with --no-store, or if HOME is not set.
OptionalStore open_store(const StoreOptions& options);

// Resuming an unfinished run from the store, or from its result file alone: resume.cpp.

/// A run to resume.
struct FormerRun {
  RunRecord document;  ///< Has a row for every planned case and every added repeat.
  std::string output;  ///< Absolute path of its result file.
  bool is_stored;      ///< The store of this machine has the run; otherwise its file is not trusted.
};

/// Returns the run of the result file `options.resume`, or the latest unfinished run. If the store and the
/// file both have the run, returns the copy with more finished rows. Throws a usage Error if no run is found,
/// and a data Error if the file is not the result of a run.
FormerRun find_former(const RunOptions& options, OptionalStore& store);

/// Returns the command of the run to resume, with options overridden by `options.arguments`. If the store
/// does not have the run, drops its options that refer to other files: the result file may come from another
/// machine.
Command continued_command(const RunOptions& options);

/// Throws a usage Error if `result` has content, or if a process is running a run in the store that writes to
/// it.
void require_unused(const std::filesystem::path& result, OptionalStore& store);

/// Appends the repeats that the run has in addition to `planned`.
void add_repeats(const RunRecord& document, std::vector<Work>& planned);

/// Returns the differences in rows, machine, libraries or data that prevent a resume, the old value first.
std::vector<std::string> differences(const RunRecord& former, const RunRecord& now,
                                     const std::vector<Result>& planned);

/// Plan of a run, made before data is read. Each workload derives from it and fills it in the constructor.
struct PlannedRun {
  /// Checks the options that need no engine. Throws a usage Error.
  explicit PlannedRun(const RunOptions& given);
  PlannedRun(const PlannedRun&) = delete;
  PlannedRun& operator=(const PlannedRun&) = delete;

  RunOptions options;                   ///< Includes the values of the suite; `threads` is per rank.
  OptionalStore store;                  ///< Machine facts, and the rows of this run.
  std::string started_at;               ///< UTC timestamp.
  Seconds begin = SteadyClock().now();  ///< Start of --budget, before devices and data are opened.
  std::optional<Bytes> memory_limit;
  PlanRecord plan;
  bool is_repeated = false;         ///< Each row gets a fresh process, so that memory layouts differ.
  bool is_plain = false;            ///< No option sets a duration or repeats: cases run kPlainRepeats times.
  std::shared_ptr<void> own_ranks;  ///< Ranks started by this process. They end after `rank_group`.
  std::unique_ptr<ProcessGroup> rank_group;  ///< Connections to the other ranks; null for a single rank.
  ProcessFactory workers;
  EngineFacts facts;
  std::vector<Work> work;
  std::optional<FormerRun> former;  ///< The run to resume.

  std::vector<Case> cases() const;
  std::vector<std::string> device_names() const;
  /// Measures the device's peak again. Returns nullopt if that fails.
  std::optional<DeviceRecord> renewed_peak(const std::string& device);

 protected:
  /// Resolves devices in a worker. Sets `workers` and `facts`.
  void ask_engine(FactsRequest request);

  /// Returns the rows with resolved devices. If several names mean one device, keeps only rows of the first.
  template <class Row, class GetDevice>
  std::vector<Row> resolved(const std::vector<Row>& rows, const GetDevice& get_device) const {
    std::map<std::string, std::string> first_names;
    std::vector<Row> kept;
    for (Row row : rows) {
      std::string& name = get_device(row);
      const std::string& device = devices_.at(name);
      if (first_names.emplace(device, name).first->second != name) continue;
      name = device;
      kept.push_back(std::move(row));
    }
    return kept;
  }

 private:
  /// Adds GPUBENCH_WORKER_PREFIX, if set, to the error of a worker that does not answer.
  EngineFacts make_facts(const FactsRequest& request);

  std::map<std::string, std::string> devices_;  // Resolved names by requested names.
};

/// Datasets, power meters and executor of a plan, which must outlive them.
class RunResources {
 public:
  /// Loads each dataset once. Replaces a missing dataset that `auto` chose by synthetic data. Throws a data
  /// Error if a named dataset is missing or damaged, and a usage Error if a rank would have no sample.
  explicit RunResources(PlannedRun& run);

  const Clock& clock() const { return clock_; }
  Executor& executor() { return *executor_; }
  /// Adds energy, or the reason why it is missing, to rows of trainings.
  Observer& power_observer() { return *power_observer_; }
  const DataFacts& data_facts(const Case& c) const { return facts_.at(data_key(c)); }
  const std::vector<DatasetRecord>& dataset_records() const { return records_; }
  /// Returns the row as planned, before its execution.
  Result planned_row(const Work& work) const;

 private:
  void load_data(const Case& c, const PlannedRun& run);

  SteadyClock clock_;
  SharedDatasets shared_;
  std::vector<DatasetRecord> records_;
  std::map<std::string, DataFacts> facts_;
  std::unique_ptr<SamplerPause> pause_;
  std::unique_ptr<PowerSampler> sampler_;  // Null without a power source.
  std::unique_ptr<Observer> power_observer_;
  std::unique_ptr<Executor> executor_;
};

/// Returns the words of GPUBENCH_WORKER_PREFIX, which precede the command of each worker.
std::vector<std::string> worker_prefix();

// Ranks of a run: rank 0 plans and decides; the other ranks execute its requests: ranks.cpp.

/// Connects the ranks of a launcher, or starts `most` ranks on this machine. Sets the threads per rank.
/// Throws usage Errors.
void launch_ranks(PlannedRun& run, std::int64_t most);

/// Returns the number of ranks that a launcher has started; 1 without a launcher.
std::int64_t launched_ranks();

/// Returns the number of ranks that a launcher has started, else one per GPU, or one per core on the CPU.
std::int64_t most_ranks_for(const std::vector<std::string>& devices);

/// On a rank other than 0, executes requests of rank 0 until rank 0 ends. Returns nullopt on rank 0.
std::optional<ExitCode> run_peer_rank(const RunOptions& options);

/// Checks the result file, loads data and prepares other ranks; then runs the rows of the plan, or the
/// missing rows of an interrupted run. Without `interrupts`, watches for interrupts from the first row on.
/// Throws usage and data Errors.
ExitCode run_recorded(PlannedRun& plan, Interrupts* interrupts = nullptr);

}  // namespace gpubench
