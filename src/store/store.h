#pragma once
// SQLite file with everything that this host has measured: runs with their rows, facts about the machine, and
// the series of `gpubench history`. A run is saved after every event, so that it can be resumed after a
// crash. See docs/history.md for the tables.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gpubench/core/io/files.h"
#include "gpubench/record/run_record.h"
#include "store/database.h"
#include "store/machine_facts.h"

namespace gpubench {

using RunId = std::int64_t;  ///< Unique in one store.

/// Row of a run, possibly in progress.
struct StoredRow {
  Result record;             ///< Result, or the planned row with the epochs so far.
  std::string started_at{};  ///< UTC; empty before the start.
  bool has_ended = false;    ///< False if planned, running or interrupted.
};

/// Returns the document of a run. Rows that have not ended are `interrupted`.
RunRecord make_document(const RunRecord& header, const std::vector<StoredRow>& rows);

/// Summary of a run.
struct StoredRun {
  RunId id = 0;
  std::string run_id;       ///< See ToolRecord.
  std::string kind;         ///< See PlanRecord.
  std::string started_at;   ///< UTC.
  std::string finished_at;  ///< UTC; empty if unfinished.
  std::string output;       ///< Absolute path of the result file; may be empty.
  std::int64_t rows = 0;
  std::int64_t finished_rows = 0;
};

/// Store of a host. Functions throw a DatabaseError, whose text does not name the file. Each thread, and each
/// process after a fork, needs its own store.
class Store {
 public:
  /// Opens the file; with kWrite creates a missing one. Refuses files of newer versions and of other
  /// programs, and network file systems, whose locks are unreliable.
  explicit Store(std::filesystem::path path, Database::Access access = Database::Access::kWrite);

  const std::filesystem::path& path() const { return path_; }
  const Database& database() const { return database_; }

  // As in MachineFacts.
  std::optional<std::string> find_fact(const std::string& key) const;
  FactTexts find_facts(const std::string& prefix) const;
  void keep_fact(const std::string& key, const std::string& text);

  // Runs in progress. Each call is one transaction, synced to the disk except for start_row() and
  // add_epoch(). Positions of rows count from 0.

  /// Adds the run and claims it for this process.
  RunId begin_run(const RunRecord& header, const std::vector<Result>& planned, const std::string& output);
  void add_row(RunId run, std::size_t position, const Result& planned);
  /// Replaces the row by `planned` and marks it as started.
  void start_row(RunId run, std::size_t position, const Result& planned, const std::string& at);
  void add_epoch(RunId run, std::size_t position, std::size_t number, const EpochRecord& epoch);
  void finish_row(RunId run, std::size_t position, const Result& result);
  /// Replaces tool, plan and environment, after a new peak or at the end of the run.
  void set_header(RunId run, const RunRecord& header);

  /// Claims a run for the lifetime of this process. Returns false if another process has claimed it.
  bool claim(RunId run);
  /// Returns true if another process has claimed the run.
  bool is_claimed(RunId run);

  /// Adds a complete run. Replaces a run with the same `run_id`.
  RunId import_run(const RunRecord& run, const std::string& output);

  std::vector<StoredRun> runs() const;             ///< All runs, oldest first.
  std::vector<StoredRun> unfinished_runs() const;  ///< Unfinished runs, newest first.
  std::optional<RunId> find_run(const std::string& run_id) const;
  RunRecord load_header(RunId run) const;  ///< Without rows.
  std::vector<StoredRow> load_rows(RunId run) const;
  RunRecord load_run(RunId run) const { return make_document(load_header(run), load_rows(run)); }
  void remove_run(RunId run);     ///< Removes the run with its points.
  void remove_points(RunId run);  ///< Removes the points only; called within a transaction.

  /// Checks the whole file. Returns the faults.
  std::vector<std::string> check() const;
  std::int64_t version() const;  ///< Version of the tables.
  /// Removes series without points, and frees unused space on the disk.
  void compact();

 private:
  int claims_file();

  std::filesystem::path path_;
  Database database_;
  FileDescriptor claims_;  // File in which the process that measures run N locks byte N.
};

/// Returns ${XDG_STATE_HOME:-~/.local/state}/gpubench/HOST.sqlite; empty if neither variable is set.
std::filesystem::path default_store_path(const std::string& host);

}  // namespace gpubench
