#pragma once
// The journal of a run, one JSON object a line. The result depends on these lines alone; docs/journal.md.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/execution/wire.h"
#include "engine/plan/op_plan.h"
#include "engine/plan/plan.h"
#include "gpubench/core/clock.h"
#include "gpubench/record/ops_record.h"
#include "gpubench/record/run_record.h"
#include "record/document/record_json.h"

namespace gpubench {

/// What belongs to a kind of work: Case for trainings, OpWork for operations.
template <class Work>
struct WorkKind;

template <>
struct WorkKind<Case> {
  using Row = CaseRecord;
  using Plan = PlanRecord;
  using Document = RunRecord;
  static constexpr auto kRows = &RunRecord::cases;
  static constexpr auto kPlan = &RunRecord::plan;
  static constexpr const char* kName = "run";
  static constexpr const char* kRow = "case";
  static constexpr const char* kCommand = "gpubench";
};

template <>
struct WorkKind<OpWork> {
  using Row = OpRecord;
  using Plan = OpsSettings;
  using Document = OpsRecord;
  static constexpr auto kRows = &OpsRecord::rows;
  static constexpr auto kPlan = &OpsRecord::settings;
  static constexpr const char* kName = "operations";
  static constexpr const char* kRow = "row";
  static constexpr const char* kCommand = "gpubench ops";
};

template <class Work>
std::int64_t repetition(const Work& work) {
  return work.asked.repeat;
}

template <class Work>
using RowOf = typename WorkKind<Work>::Row;
template <class Work>
using PlanOf = typename WorkKind<Work>::Plan;
template <class Work>
using DocumentOf = typename WorkKind<Work>::Document;

class JournalFile;

/// The first line: all that is known before the first row.
template <class Work>
struct JournalHeader {
  ToolRecord tool;
  PlanOf<Work> plan;
  Environment environment;
};

template <class Work>
struct JournalRow {
  Json work;                          ///< From to_json(const Work&).
  RowOf<Work> row;                    ///< As planned.
  std::optional<RowOf<Work>> so_far;  ///< Set once it has begun; of a case with its epochs.
  std::optional<RowOf<Work>> result;  ///< Set once it has ended, with any status.
};

template <class Work>
struct JournalState {
  JournalHeader<Work> header;
  std::vector<JournalRow<Work>> rows;
  std::size_t planned = 0;  ///< Number of rows in the first line; the others were added later.
  Measured<std::string> ended_at = missing("the run has not finished");
  std::string warning;  ///< About a torn last line, which is dropped; else empty.
};

/// Returns the result. Rows without one are `interrupted`. No row is above its peak: clamp_to_peaks().
template <class Work>
DocumentOf<Work> make_document(const JournalState<Work>& state);

/// Keeps the state and appends its changes to the file, if any. Used by one thread. Failed lines are retried.
template <class Work>
class Journal {
 public:
  using Row = RowOf<Work>;

  /// Makes a journal of this work, replacing any other once `check` does not throw. An empty path means no
  /// file, and no check. Throws a usage Error if the file cannot be written or is in use.
  static Journal create(const std::filesystem::path& path, const JournalHeader<Work>& header,
                        const std::vector<Work>& work, const std::vector<Row>& rows,
                        const std::function<void()>& check);

  /// Continues the journal in `path`. Throws a data Error for a file that is no journal of such work.
  static Journal resume(const std::filesystem::path& path);

  /// Throws a usage Error if `path` has a run that was broken off, or cannot be read.
  static void refuse_unfinished(const std::filesystem::path& path);

  const JournalState<Work>& state() const { return state_; }

  /// Adds a row that is not in the plan, e.g. a further repetition. Returns its position.
  std::size_t add_row(const Work& work, const Row& row);
  void row_started(std::size_t position) {
    add({{"event", "started"}, {"position", position}, {"at", utc_timestamp_milliseconds()}}, true);
  }
  /// The heartbeat of a case. Not synced to the disk.
  void epoch_finished(std::size_t position, const EpochRecord& epoch) {
    add({{"event", "epoch"}, {"position", position}, {"record", wire_json(epoch)}}, false);
  }
  /// Synced to the disk before it returns.
  void row_finished(std::size_t position, const Row& row) {
    add({{"event", "finished"}, {"position", position}, {"record", raw_json(row)}}, true);
  }
  /// The peak of `device` was measured again: from now on the better of each figure holds.
  void peak_renewed(const DeviceRecord& device) {
    add({{"event", "peak"}, {"device", to_json(device)}}, true);
  }
  /// Every row has ended, or the user has ended the run.
  void run_ended() { add({{"event", "ended"}, {"at", utc_timestamp()}}, true); }

  /// Returns why the file lacks the last lines; empty if it has them all.
  std::string failure() const;

 private:
  Journal() = default;
  void add(const Json& event, bool is_synced);

  JournalState<Work> state_;
  std::shared_ptr<JournalFile> file_;  // Null without a file.
};

/// Returns the state of the journal in `path`. Throws as Journal::resume does.
template <class Work>
JournalState<Work> read_journal(const std::filesystem::path& path);

/// Returns the differences in work, machine, libraries or data that forbid resuming; journal's value first.
template <class Work>
std::vector<std::string> differences(const JournalState<Work>& state, const JournalHeader<Work>& now,
                                     const std::vector<Work>& work);

/// Returns the journal of a result file: "run.journal.jsonl" for "run.json". A journal's path stays as it is.
std::filesystem::path journal_path(const std::filesystem::path& result);

/// Returns the result file of a journal. A result's path stays as it is.
std::filesystem::path result_path(const std::filesystem::path& journal);

}  // namespace gpubench
