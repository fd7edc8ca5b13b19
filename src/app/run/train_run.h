#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/run/journaled_run.h"
#include "app/run/planned_run.h"
#include "app/train_options.h"
#include "engine/isolation/isolated_executor.h"
#include "gpubench/core/error.h"

namespace gpubench {

/// Runs, resumes, estimates or searches as asked; on a rank other than 0, its part. Records `arguments`.
ExitCode run_train(const TrainOptions& options, const std::vector<std::string>& arguments);

/// A run whose result can be written and whose data is loaded. Made before anything is measured.
class PlanExecution : public JournaledRun {
 public:
  /// Tries the result file, then loads the data. Throws usage and data Errors.
  explicit PlanExecution(const PlannedRun& run);

  const PlannedRun& plan() const { return run_; }
  const DatasetStore& store() const { return store_; }
  Executor& executor() { return *executor_; }
  /// Runs a case outside of the journal.
  CaseRecord run_case(const Case& c, RowControl& control);

 protected:
  JournalHeader header() const override;
  std::vector<Work> work() const override { return {run_.cases.begin(), run_.cases.end()}; }
  Result planned_row(const Work& work) const override;
  Work added_work(const Json& json) const override;
  bool sweep(const std::vector<Work>& all, const std::vector<std::size_t>& positions,
             Journal& journal) override;
  std::string shown(const RunRecord& run) const override;

 private:
  const PlannedRun& run_;
  SharedDatasets shared_;
  DatasetStore store_;
  std::vector<RankRecord> ranks_;  // Empty for a single one.
  PowerWatch power_;
  std::unique_ptr<Observer> rank_observer_;  // Null for a single one.
  std::unique_ptr<Executor> executor_;
};

}  // namespace gpubench
