#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/run/journaled_run.h"
#include "app/run/terminal.h"
#include "engine/execution/executor.h"
#include "gpubench/core/error.h"
#include "pages/ops_page.h"

namespace gpubench {

struct PlannedTable : PlannedWork {
  using PlannedWork::PlannedWork;

  std::vector<OpWork> work{};
  OpsSettings settings{};
  std::vector<RankRecord> ranks{};   ///< Of collectives.
  std::vector<NamedOps> baseline{};  ///< What the table is compared with; empty: nothing.

 protected:
  /// Replaces the devices of `work`, asked for as `words`, by the resolved ones. Drops repeated devices.
  void resolve_devices(const std::vector<std::string>& words);
};

/// Runs the rows of a table and prints it. The plan and the watch outlive it.
class TableRun : public JournaledRun<OpWork> {
 public:
  /// The name of a new result begins with `prefix`. `renew` measures a peak again that a row has exceeded.
  TableRun(const PlannedTable& plan, const std::string& prefix, InterruptWatch& interrupts,
           OpExecutor executor, RenewPeak renew = {});

 protected:
  JournalHeader<OpWork> header() const override;
  const std::vector<OpWork>& work() const override { return plan_.work; }
  OpRecord planned_row(const OpWork& work) const override { return describe(work); }
  OpWork added_work(const Json& json) const override;
  bool sweep(const std::vector<OpWork>& all, const std::vector<std::size_t>& positions,
             Journal<OpWork>& journal) override;
  std::string shown(const OpsRecord& record) const override;
  bool is_fine(const OpRecord& row) const override;

 private:
  bool is_matrix() const { return plan_.settings.kind == "matrix"; }

  const PlannedTable& plan_;
  InterruptWatch& interrupts_;
  OpExecutor executor_;
  RenewPeak renew_;
};

/// Runs a table again by the words in the journal of `file`, with `arguments` laid over them.
ExitCode continue_table(const std::string& file, const std::vector<std::string>& arguments);

}  // namespace gpubench
