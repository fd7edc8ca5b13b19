#pragma once
// A run of any kind: its plan, what its rows are run with, and its way into the store and a result file.

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

// Continuing a run that has not finished, by its record in the store or by its result file alone: resume.cpp.

/// A run to continue.
struct FormerRun {
  RunRecord document;  ///< With a row for each of its plan and each added repetition.
  std::string output;  ///< Absolute path of its result file.
  bool is_stored;      ///< False for a file that may come from elsewhere.
};

/// Returns the run of `options.resume`: that of a result file, or the latest that has not finished. Where
/// both know the run, the store or the file, whichever has more finished rows, counts. Throws a usage Error
/// if there is none, and a data Error for a file that is no result of a run.
FormerRun find_former(const RunOptions& options, OptionalStore& store);

/// Returns the command of the run, with the options of `arguments` laid over those of its own command line. A
/// run that is in no store may come from elsewhere: options of it that lead to other files are left out.
Command continued_command(const RunOptions& options, const std::vector<std::string>& arguments);

/// Throws a usage Error if the store has an unfinished run that writes to `result`: another process measures
/// it, or it was broken off and its file is there.
void refuse_unfinished(const std::filesystem::path& result, OptionalStore& store);

/// Appends the repetitions that the run has beyond `planned`.
void add_repetitions(const RunRecord& document, std::vector<Work>& planned);

/// Returns the differences in rows, machine, libraries or data that forbid continuing; the former value
/// first.
std::vector<std::string> differences(const RunRecord& former, const RunRecord& now,
                                     const std::vector<Result>& planned);

/// All that is decided before data is read. Each kind of run has a constructor that fills it.
struct PlannedRun {
  /// Throws a usage Error for what is wrong without asking the engine.
  PlannedRun(const RunOptions& given, const std::vector<std::string>& given_arguments);
  PlannedRun(const PlannedRun&) = delete;
  PlannedRun& operator=(const PlannedRun&) = delete;

  RunOptions options;                   ///< With the values of the suite, and the threads of each rank.
  OptionalStore store;                  ///< Facts of this machine, and what this run has measured.
  std::vector<std::string> arguments;   ///< For the result, and for ranks that this process starts.
  std::string started_at;               ///< As utc_timestamp() has it.
  Seconds begin = SteadyClock().now();  ///< Time before the first case counts for --budget too.
  std::optional<Bytes> memory_limit;
  PlanRecord plan;
  bool is_repeated = false;         ///< Each row gets a fresh worker, so that memory layouts differ.
  bool is_plain = false;            ///< Nothing says how long or how often to train: cases are repeated.
  std::shared_ptr<void> own_ranks;  ///< Other ranks that this process has started. End after `rank_group`.
  std::unique_ptr<ProcessGroup> rank_group;  ///< Other ranks, for rows of several; null for a single one.
  ProcessFactory workers;
  EngineFacts facts;
  std::vector<Work> work;
  std::optional<FormerRun> former;  ///< The run to continue.

  std::vector<Case> cases() const;
  std::vector<std::string> device_names() const;
  /// Measures the device's peak again; nothing if that fails.
  std::optional<DeviceRecord> renewed_peak(const std::string& device);

 protected:
  /// Sets `workers` and `facts`.
  void ask_engine(FactsRequest request);

  /// Returns the rows with resolved devices. Of several names of a device the first one counts.
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
  EngineFacts make_facts(const FactsRequest& request);

  std::map<std::string, std::string> devices_;  // Resolved, by the name that was asked for.
};

/// Datasets, power meters and processes for the rows of a plan, which outlives it.
class RunResources {
 public:
  /// Loads each dataset once. Replaces a missing dataset that `auto`
  /// chose by a synthetic one. Throws a data Error for a missing or bad one that was named, and a usage Error
  /// if a rank would have no sample.
  explicit RunResources(PlannedRun& run);

  const Clock& clock() const { return clock_; }
  Executor& executor() { return *executor_; }
  /// Adds to rows of trainings their energy, or the reason for none.
  Observer& power_observer() { return *power_observer_; }
  const DataFacts& data_facts(const Case& c) const { return facts_.at(c.dataset->name); }
  const std::vector<DatasetRecord>& dataset_records() const { return records_; }
  /// Returns the row before it is run.
  Result planned_row(const Work& work) const;

 private:
  void load_data(const Case& c, const PlannedRun& run);
  void open_power_meters(const PlannedRun& run);

  SteadyClock clock_;
  SharedDatasets shared_;
  std::vector<DatasetRecord> records_;
  std::map<std::string, DataFacts> facts_;
  std::unique_ptr<SamplerPause> pause_;
  std::unique_ptr<PowerSampler> sampler_;  // Null if there is no source.
  std::unique_ptr<Observer> power_observer_;
  std::unique_ptr<Executor> executor_;
};

/// Returns the words in GPUBENCH_WORKER_PREFIX, which come before the command of each process that measures.
std::vector<std::string> worker_prefix();

/// Runs the rows of a plan, or those that an interrupted run lacks. The plan outlives it.
class RecordedRun {
 public:
  /// Tries the result file, then loads the data and prepares other ranks. Throws usage and data Errors.
  explicit RecordedRun(PlannedRun& plan);

  /// Throws a usage Error if the run of `--resume` is another one.
  ExitCode run(Interrupts& interrupts);

 private:
  Recorder begin();
  Recorder resume(std::vector<Work>& all);
  void require_nothing_lost() const;
  bool sweep(const std::vector<Work>& all, const std::vector<std::size_t>& positions, Recorder& recorder,
             Interrupts& interrupts);
  void save_snapshot(const Recorder& recorder);
  std::string shown(const RunRecord& result) const;
  ExitCode finish(Recorder& recorder, bool is_interrupted);

  PlannedRun& plan_;
  std::optional<ResultFile> file_;
  RunResources resources_;
  RunRecord header_;
  std::unique_ptr<Observer> rank_observer_;  // Null for a single rank.
  Seconds next_snapshot_;
};

}  // namespace gpubench
