#pragma once
// Runs work of any kind into a journal and a result.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/run/planned_run.h"
#include "engine/sweep/sweep.h"
#include "gpubench/core/error.h"

namespace gpubench {

/// Runs the rows of a plan, or those that an interrupted run lacks. The plan outlives it.
class JournaledRun {
 public:
  /// Tries the result file, then loads the data and prepares other ranks. Throws usage and data Errors.
  explicit JournaledRun(const PlannedRun& plan);

  /// Throws a usage Error if the journal of `--resume` is of another run.
  ExitCode run(Interrupts& interrupts);

 private:
  Journal begin() const;
  Journal reopen() const;
  void require_nothing_lost(const std::filesystem::path& journal) const;
  bool sweep(const std::vector<Work>& all, const std::vector<std::size_t>& positions, Journal& journal,
             Interrupts& interrupts);
  void save_snapshot(const Journal& journal);
  std::string shown(const RunRecord& result) const;
  ExitCode finish(const Journal& journal, bool is_interrupted);

  const PlannedRun& plan_;
  std::optional<ResultFile> file_;
  RunResources resources_;
  JournalHeader header_;
  std::unique_ptr<Observer> rank_observer_;  // Null for a single rank.
  Seconds next_snapshot_;
};

/// Continues a table by the command line in the journal of `file`, with `arguments` laid over it.
ExitCode continue_table(const std::string& file, const std::vector<std::string>& arguments);

}  // namespace gpubench
