#pragma once
// The journal of a run: its events, a JSON object a line. The result depends on these lines alone;
// docs/journal.md.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/execution/wire.h"
#include "engine/plan/work.h"
#include "gpubench/core/clock.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Words for the rows of a plan.
struct RowWords {
  const char* rows;     ///< "trainings"
  const char* row;      ///< "case"
  const char* command;  ///< "gpubench"
};

RowWords find_words(const PlanRecord& plan);

class JournalFile;

/// All that is known before the first row.
struct JournalHeader {
  ToolRecord tool;
  PlanRecord plan;
  Environment environment;
};

/// A row before it is run.
struct PlannedRow {
  Json work;  ///< From to_json(const Work&).
  Result row;
};

struct JournalRow : PlannedRow {
  std::optional<Result> so_far{};  ///< Set once it has begun; of a case with its epochs.
  std::optional<Result> result{};  ///< Set once it has ended, with any status.
};

struct JournalState {
  JournalHeader header;
  std::vector<JournalRow> rows;
  std::size_t planned = 0;  ///< Number of rows in the first line; the others were added later.
  Measured<std::string> ended_at = missing("the run has not finished");
  std::string warning;  ///< About a torn last line, which is dropped; else empty.
};

/// Returns the result. Rows without one are `interrupted`. No row is above its peak: clamp_to_peaks().
RunRecord make_document(const JournalState& state);

/// The first line.
struct PlannedEvent {
  int journal_version = 0;
  ToolRecord tool{};
  PlanRecord plan{};
  Environment environment{};
  std::vector<PlannedRow> rows{};
};

/// A row that is not in the plan, e.g. a further repetition.
struct AddedEvent {
  PlannedRow row;
};

struct StartedEvent {
  std::size_t position = 0;
  std::string at{};  ///< UTC.
};

/// The heartbeat of a case.
struct EpochEvent {
  std::size_t position = 0;
  EpochRecord record{};
};

struct FinishedEvent {
  std::size_t position = 0;
  Result record{};
};

/// The peak of the device was measured again: from now on the better of each figure holds.
struct PeakEvent {
  DeviceRecord device;
};

/// Every row has ended, or the user has ended the run.
struct EndedEvent {
  std::string at;  ///< UTC.
};

using JournalEvent =
    std::variant<PlannedEvent, AddedEvent, StartedEvent, EpochEvent, FinishedEvent, PeakEvent, EndedEvent>;

/// Keeps the state and appends its changes to the file, if any. Used by one thread. Failed lines are retried.
class Journal {
 public:
  /// Makes a journal of these rows, replacing any other once `check` does not throw. An empty path means no
  /// file, and no check. Throws a usage Error if the file cannot be written or is in use.
  static Journal create(const std::filesystem::path& path, const JournalHeader& header,
                        std::vector<PlannedRow> rows, const std::function<void()>& check);

  /// Continues the journal in `path`. Throws a data Error for a file that is no journal.
  static Journal resume(const std::filesystem::path& path);

  /// Throws a usage Error if `path` has a run that was broken off, or cannot be read.
  static void refuse_unfinished(const std::filesystem::path& path);

  const JournalState& state() const { return state_; }

  /// Changes the state and appends a line. All but epochs are on the disk before it returns.
  void add(const JournalEvent& event);

  /// Adds a row that is not in the plan. Returns its position.
  std::size_t add_row(const Work& work, const Result& row);

  /// Returns why the file lacks the last lines; empty if it has them all.
  std::string failure() const;

 private:
  Journal() = default;

  JournalState state_;
  std::shared_ptr<JournalFile> file_;  // Null without a file.
};

/// Returns the state of the journal in `path`. Throws as Journal::resume does.
JournalState read_journal(const std::filesystem::path& path);

/// Throws a data Error unless the journal is of operations, or of trainings, as wanted.
void require_kind(const JournalState& state, const std::filesystem::path& path, bool is_of_operations);

/// Returns the differences in work, machine, libraries or data that forbid resuming; journal's value first.
std::vector<std::string> differences(const JournalState& state, const JournalHeader& now,
                                     const std::vector<Work>& work);

/// Returns the journal of a result file: "run.journal.jsonl" for "run.json". A journal's path stays as it is.
std::filesystem::path journal_path(const std::filesystem::path& result);

/// Returns the result file of a journal. A result's path stays as it is.
std::filesystem::path result_path(const std::filesystem::path& journal);

}  // namespace gpubench
