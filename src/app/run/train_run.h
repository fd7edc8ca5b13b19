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
class PlanExecution : public JournaledRun<Case> {
 public:
  /// Tries the result file, then loads the data. Throws usage and data Errors.
  explicit PlanExecution(const PlannedRun& run);

  const PlannedRun& plan() const { return run_; }
  const DatasetStore& store() const { return store_; }
  CaseExecutor& executor() { return *executor_; }

 protected:
  JournalHeader<Case> header() const override;
  const std::vector<Case>& work() const override { return run_.cases; }
  CaseRecord planned_row(const Case& c) const override { return describe(c, store_.make_facts(c)); }
  Case added_work(const Json& json) const override;
  std::int64_t order_seed() const override { return run_.order_seed(); }
  bool sweep(const std::vector<Case>& all, const std::vector<std::size_t>& positions,
             Journal<Case>& journal) override;
  std::string shown(const RunRecord& run) const override;

 private:
  const PlannedRun& run_;
  SharedDatasets shared_;
  DatasetStore store_;
  std::vector<RankRecord> ranks_;  // Empty for a single one.
  PowerWatch power_;
  std::unique_ptr<CaseExecutor> executor_;
};

}  // namespace gpubench
