#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/run/journaled_run.h"
#include "app/run/terminal.h"
#include "engine/execution/executor.h"
#include "engine/isolation/isolated_executor.h"
#include "gpubench/core/error.h"
#include "gpubench/record/merge.h"

namespace gpubench {

struct PlannedTable : PlannedWork {
  using PlannedWork::PlannedWork;

  std::vector<OpWork> work{};
  PlanRecord plan{};
  std::vector<RankRecord> ranks{};   ///< Of collectives.
  std::vector<NamedRun> baseline{};  ///< What the table is compared with; empty: nothing.

 protected:
  /// Replaces the devices of `work`, asked for as `words`, by the resolved ones. Drops repeated devices.
  void resolve_devices(const std::vector<std::string>& words);
};

/// Runs the rows of a table and prints it. The plan and the watch outlive it.
class TableRun : public JournaledRun {
 public:
  /// The name of a new result begins with `prefix`. `ranks` may be null.
  TableRun(const PlannedTable& plan, const std::string& prefix, InterruptWatch& interrupts,
           std::unique_ptr<Observer> ranks = nullptr);

 protected:
  JournalHeader header() const override;
  std::vector<Work> work() const override { return {plan_.work.begin(), plan_.work.end()}; }
  Result planned_row(const Work& work) const override { return describe(std::get<OpWork>(work)); }
  Work added_work(const Json& json) const override;
  bool sweep(const std::vector<Work>& all, const std::vector<std::size_t>& positions,
             Journal& journal) override;
  std::string shown(const RunRecord& record) const override;
  bool is_fine(const RowRecord& row) const override;

 private:
  bool is_matrix() const { return plan_.plan.kind == "matrix"; }

  const PlannedTable& plan_;
  InterruptWatch& interrupts_;
  const Datasets datasets_;  // None: operations make their inputs.
  const SharedDatasets shared_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Observer> ranks_;
};

/// Runs a table again by the words in the journal of `file`, with `arguments` laid over them.
ExitCode continue_table(const std::string& file, const std::vector<std::string>& arguments);

}  // namespace gpubench
