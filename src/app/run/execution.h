#pragma once
// A planned run carried out: data, journal, sweep, result.

#include <memory>
#include <optional>

#include "app/files/result_file.h"
#include "app/run/dataset_store.h"
#include "app/run/planned_run.h"
#include "app/run/power_watch.h"
#include "engine/sweep/journal.h"
#include "engine/sweep/sweep.h"

namespace gpubench {

/// What a run works with once its result can be written and its data is there. Made before anything is
/// measured.
class PlanExecution {
 public:
  /// Tries the result file, then loads the data. Throws usage and data Errors.
  explicit PlanExecution(const PlannedRun& run);

  /// Runs the cases into a new result.
  ExitCode start();
  /// Runs what the journal that the options name lacks.
  ExitCode resume();

  const PlannedRun& run() const { return run_; }
  const DatasetStore& store() const { return store_; }
  CaseExecutor& executor() { return *executor_; }

 private:
  JournalHeader header() const;
  std::vector<CaseRecord> rows() const;
  ExitCode carry_out(Journal& journal);
  RunRecord document(const Journal& journal) const;
  void keep(const Journal& journal) const;
  void sweep(Journal& journal);
  std::vector<Case> all_cases(const JournalState& state) const;
  ExitCode conclude(const Journal& journal);

  const PlannedRun& run_;
  std::string started_at_;
  std::optional<ResultFile> file_;  // Absent where the document goes to stdout.
  SharedDatasets shared_;
  DatasetStore store_;
  SteadyClock clock_;
  PowerWatch power_;
  std::unique_ptr<CaseExecutor> executor_;
  bool is_interrupted_ = false;
};

}  // namespace gpubench
