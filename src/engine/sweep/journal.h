#pragma once
// What a run has done so far, one JSON object a line, so that nothing is lost whatever happens. The result
// document is a function of these lines and of nothing else. docs/journal.md describes them. The same for
// both kinds of work, see work_kinds.h.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/plan/work_kinds.h"
#include "gpubench/core/io/files.h"
#include "gpubench/record/run_record.h"
#include "record/document/record_json.h"

namespace gpubench {

/// What stands in the file of a journal.
struct JournalText {
  std::string text;
  std::size_t whole = 0;  ///< Bytes of its whole lines; what follows them is torn.

  std::string_view lines() const { return std::string_view(text).substr(0, whole); }
  std::string_view torn() const { return std::string_view(text).substr(whole); }
};

/// Throws a data Error where the file cannot be read, or is none that open_outside_file() takes.
JournalText read_journal_text(const std::filesystem::path& path);

/// Open for appending, and locked against a second gpubench.
class JournalFile {
 public:
  /// Opens or makes the file. Throws a usage Error where that fails or another process has it.
  explicit JournalFile(const std::filesystem::path& path);

  /// Goes on after the first `kept` bytes; what follows them is dropped. Throws a usage Error where that
  /// fails.
  void cut(std::size_t kept);

  /// Removes the file where it has nothing in it: it was made for a run that is not to be.
  void remove_if_empty() const;

  /// Appends the line, after those that could not be written before. `is_synced`: returns when the disk has
  /// it.
  void append(const std::string& line, bool is_synced);

  /// Why lines are missing; empty where none is.
  const std::string& failure() const { return failure_; }

 private:
  bool write_pending();
  /// Ends the file there, for the next line. False leaves errno set.
  bool cut_to(std::size_t size) const;

  std::filesystem::path path_;
  FileDescriptor file_;
  std::size_t size_ = 0;  // Of what is whole in the file.
  std::string pending_;   // Lines that are not in the file yet.
  std::string failure_;
  std::string dropped_;  // A failed sync is told once; what it was about may be lost for good.
};

/// The first line: all that is known before the first row.
template <class Work>
struct JournalHeader {
  ToolRecord tool;
  PlanOf<Work> plan;
  Environment environment;
};

/// A planned row and what became of it.
template <class Work>
struct JournalRow {
  Json work;                          ///< As from to_json(const Work&).
  RowOf<Work> row;                    ///< As planned; of a case with its epochs so far once it has begun.
  bool is_begun = false;              ///< Whether it was ever tried.
  std::optional<RowOf<Work>> result;  ///< Set once it has ended, whatever its status.
};

/// What the lines of a journal add up to.
template <class Work>
struct JournalState {
  JournalHeader<Work> header;
  std::vector<JournalRow<Work>> rows;
  std::size_t planned = 0;  ///< How many of the rows the first line has; the others were added later.
  Measured<std::string> ended_at = missing("the run has not finished");
  std::string warning;  ///< Of a last line that was torn, and is dropped; empty where it was whole.
};

/// The result: a row for each that was planned. One without a result is `interrupted`. No row is above its
/// peak: see clamp_to_peaks().
template <class Work>
DocumentOf<Work> make_document(const JournalState<Work>& state);

/// Keeps the state and appends a line for each change of it. Without a file it is kept in memory alone. Used
/// by one thread. A line that cannot be written is tried again with the next one; failure() tells.
template <class Work>
class Journal {
 public:
  using Row = RowOf<Work>;

  /// A new journal of this work, in place of any that is there, once `check` agrees by not throwing. An empty
  /// path means no file, and no check. Throws a usage Error where the file cannot be written or is in use.
  static Journal create(const std::filesystem::path& path, const JournalHeader<Work>& header,
                        const std::vector<Work>& work, const std::vector<Row>& rows,
                        const std::function<void()>& check);

  /// Continues the journal in `path`. Rows that did not end as `ok` count as not begun. Throws a data Error
  /// for a file that is no journal of such work.
  static Journal resume(const std::filesystem::path& path);

  /// Throws a usage Error where `path` has a run that was broken off, which is not to be lost by starting it
  /// once more, or what cannot be read.
  static void refuse_unfinished(const std::filesystem::path& path);

  const JournalState<Work>& state() const { return state_; }

  /// A row that is not in the plan, e.g. a further repetition. Returns its position.
  std::size_t add_row(const Work& work, const Row& row);
  void row_started(std::size_t position);
  /// The heartbeat of a case. Not synced to the disk.
  void epoch_finished(std::size_t position, const EpochRecord& epoch);
  /// Synced to the disk before it returns.
  void row_finished(std::size_t position, const Row& row);
  /// The peak of `device` was measured once more: the better of each figure holds from now on.
  void roof_renewed(const DeviceRecord& device);
  /// Every row has ended, or the user has ended the run.
  void run_ended();

  /// Why the file lacks the last lines; empty where it has them all.
  std::string failure() const { return file_ ? file_->failure() : ""; }

 private:
  Journal() = default;
  void add(const Json& event, bool is_synced);

  JournalState<Work> state_;
  std::optional<JournalFile> file_;
};

/// The state that the journal in `path` describes. Throws as Journal::resume does.
template <class Work>
JournalState<Work> read_journal(const std::filesystem::path& path);

/// What keeps the run `now` (its header and work) from continuing the one of `state`, a sentence each, the
/// journal's value first: other work, another machine, other libraries, other data. Empty where nothing does.
template <class Work>
std::vector<std::string> differences(const JournalState<Work>& state, const JournalHeader<Work>& now,
                                     const std::vector<Work>& work);

/// The journal that belongs to a result file: "run.json" has "run.journal.jsonl" beside it. A journal's own
/// path stays as it is.
std::filesystem::path journal_path(const std::filesystem::path& result);

/// The result file that belongs to a journal. A result's own path stays as it is.
std::filesystem::path result_path(const std::filesystem::path& journal);

}  // namespace gpubench
