#pragma once
// A table of operations, or of collectives: its run, progress and output.

#include <memory>
#include <string>
#include <vector>

#include "app/run/interrupt_watch.h"
#include "app/run/journaled_run.h"
#include "engine/execution/executor.h"
#include "engine/execution/work_json.h"
#include "gpubench/core/error.h"
#include "gpubench/core/units.h"

namespace gpubench {

/// Progress is painted between two rows, so that no thread disturbs one that measures.
class OpsProgress : public Progress<OpRecord> {
 public:
  /// Shown where stderr is a terminal, unless `is_quiet`.
  explicit OpsProgress(bool is_quiet);
  void row_started(const OpRecord& row, std::size_t index, std::size_t count) override;
  void row_finished(const OpRecord& row) override;

 private:
  bool is_shown_;
};

/// What `text` says, or `otherwise` where it is empty. Throws a usage Error for what is no time above 0.
Seconds duration_or(const std::string& text, Seconds otherwise, const std::string& option);

/// Runs a table once more by the words in the journal of `file`, with `arguments` laid over them.
ExitCode continue_table(const std::string& file, const std::vector<std::string>& arguments);

/// The sections of a table of operations as text.
std::string op_sections_text(const OpsRecord& record, const std::string& name);

/// All that is decided before the first row.
struct PlannedTable : PlannedWork {
  using PlannedWork::PlannedWork;

  std::vector<OpWork> work{};
};

/// Who derives from it sets `executor_`, and knows the settings and what a person is shown. The plan and the
/// watch outlive it.
class TableRun : public JournaledRun<OpWork> {
 protected:
  /// The name of a new result begins with `prefix`; `renew` measures a peak anew that a row has exceeded,
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
        *executor_, journal, progress, interrupts_, clock_, [&] { save_snapshot(journal); }, renew_};
    return run_sweep(all, positions, services);
  }

  std::unique_ptr<OpExecutor> executor_;

 private:
  const PlannedTable& run_;
  InterruptWatch& interrupts_;
  RenewRoof renew_;
};

}  // namespace gpubench
