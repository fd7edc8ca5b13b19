#pragma once
// Runs work of any kind into a journal and a result.

#include <optional>
#include <string>
#include <vector>

#include "app/run/planned_run.h"
#include "engine/sweep/journal.h"
#include "engine/sweep/sweep.h"
#include "gpubench/core/clock.h"

namespace gpubench {

/// Runs all rows, or the missing rows of an interrupted run. The plan outlives it.
class JournaledRun {
 public:
  virtual ~JournaledRun() = default;

  /// Runs all work, or what the journal of `--resume` lacks. Throws a usage Error if that is of another run.
  ExitCode run();

 protected:
  JournaledRun(const RunOptions& options, std::optional<ResultFile> file)
      : options_(options), file_(std::move(file)) {}

  virtual JournalHeader header() const = 0;
  virtual std::vector<Work> work() const = 0;
  virtual Result planned_row(const Work& work) const = 0;
  /// Returns work that an earlier part of the run added to its journal.
  virtual Work added_work(const Json& json) const = 0;
  /// Runs `all` at these positions. Returns false if the user ended it.
  virtual bool sweep(const std::vector<Work>& all, const std::vector<std::size_t>& positions,
                     Journal& journal) = 0;
  virtual std::string shown(const RunRecord& document) const = 0;
  virtual bool is_fine(const RowRecord& row) const { return row.status == RowStatus::kOk; }

  /// Saves the document so far. Long documents are saved more rarely: the journal has all rows.
  void save_snapshot(const Journal& journal);

  SteadyClock clock_;
  const RunOptions& options_;
  std::optional<ResultFile> file_;

 private:
  Journal begin(const std::vector<Work>& work) const;
  Journal reopen(const std::vector<Work>& work) const;
  void require_nothing_lost(const std::filesystem::path& journal) const;
  ExitCode finish(const Journal& journal, bool is_interrupted);

  Seconds next_snapshot_;
};

}  // namespace gpubench
