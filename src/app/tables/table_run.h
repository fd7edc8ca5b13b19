#pragma once
// A table of operations, or of collectives, under way.

#include <memory>
#include <string>
#include <vector>

#include "app/run/interrupt_watch.h"
#include "app/run/journaled_run.h"
#include "app/tables/ops_progress.h"
#include "engine/execution/work_json.h"

namespace gpubench {

/// All that is decided before the first row.
struct PlannedTable : PlannedWork {
  using PlannedWork::PlannedWork;

  std::vector<OpWork> work{};
};

/// Who derives from it sets `executor_`, and knows the settings and what a person is shown. The plan and the
/// watch outlive it.
class TableRun : public JournaledRun<OpWork> {
 protected:
  /// The name of a new result begins with `prefix`; `renew` measures a roof anew that a row has exceeded,
  /// where rows have one.
  TableRun(const PlannedTable& run, const std::string& prefix, InterruptWatch& interrupts, RenewRoof renew)
      : JournaledRun(run.output(prefix)), run_(run), interrupts_(interrupts), renew_(std::move(renew)) {}

  virtual OpsSettings settings() const = 0;

  JournalHeader<OpWork> header() const override {
    return {tool_record(run_.arguments, run_.started_at), settings(), run_.facts.environment};
  }
  const std::vector<OpWork>& work() const override { return run_.work; }
  OpRecord planned_row(const OpWork& work) const override { return describe(work); }
  OpWork added_work(const Json& json) const override { return op_work_from_json(json); }

  bool sweep(const std::vector<OpWork>& all, const std::vector<std::size_t>& positions,
             Journal<OpWork>& journal) override {
    OpsProgress progress(output().is_quiet);
    const SweepServices<OpWork> services{
        *executor_, journal, progress, interrupts_, clock_, [&] { keep(journal); }, renew_};
    return run_sweep(all, positions, services);
  }

  std::unique_ptr<OpExecutor> executor_;

 private:
  const PlannedTable& run_;
  InterruptWatch& interrupts_;
  RenewRoof renew_;
};

}  // namespace gpubench
