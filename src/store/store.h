#pragma once
// Everything that this host has measured, in one SQLite file: runs with their rows, facts about the machine,
// and the series of `gpubench history`. A run in progress is in it after every event, so that it can be
// continued whatever ends it. docs/history.md describes the tables.

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

using RunId = std::int64_t;  ///< In one store.

/// A row of a run that may not have ended.
struct StoredRow {
  Result record;             ///< As planned, with the epochs so far, or as it ended.
  std::string started_at{};  ///< UTC; empty before it has begun.
  bool has_ended = false;    ///< With any status but `interrupted`.
};

/// Returns the document of a run: a row that has not ended is `interrupted`.
RunRecord make_document(const RunRecord& header, const std::vector<StoredRow>& rows);

/// Line of the list of runs.
struct StoredRun {
  RunId id = 0;
  std::string run_id;       ///< As in ToolRecord.
  std::string kind;         ///< As in PlanRecord.
  std::string started_at;   ///< UTC.
  std::string finished_at;  ///< UTC; empty: unfinished.
  std::string output;       ///< Absolute path of its result file; empty for none.
  std::int64_t rows = 0;
  std::int64_t finished_rows = 0;
};

/// Throws a DatabaseError, whose text does not name the file, where the file cannot be used. Of more than one
/// thread, and of a fork, each needs a store of its own.
class Store : public MachineFacts {
 public:
  /// Opens the file, made if it is missing and is to be written. Refuses files on network file systems, whose
  /// locks are not reliable, of newer versions, and of other programs.
  explicit Store(std::filesystem::path path, Database::Access access = Database::Access::kWrite);

  const std::filesystem::path& path() const { return path_; }
  const Database& database() const { return database_; }

  std::optional<std::string> find_fact(const std::string& key) const override;
  FactTexts find_facts(const std::string& prefix) const override;
  void keep_fact(const std::string& key, const std::string& text) override;

  // A run in progress. Each is one transaction; all but start_row() and add_epoch() are on the disk when they
  // return. Positions of rows count from 0.

  /// Adds the run and claims it for this process.
  RunId begin_run(const RunRecord& header, const std::vector<Result>& planned, const std::string& output);
  void add_row(RunId run, std::size_t position, const Result& planned);
  /// The row is `planned` again, whatever it was before.
  void start_row(RunId run, std::size_t position, const Result& planned, const std::string& at);
  void add_epoch(RunId run, std::size_t position, std::size_t number, const EpochRecord& epoch);
  void finish_row(RunId run, std::size_t position, const Result& result);
  /// Replaces tool, plan and environment: a peak was measured again, or the run has ended.
  void set_header(RunId run, const RunRecord& header);

  /// Claims a run for this process, until it ends. False if another process has it.
  bool claim(RunId run);
  /// Returns whether another process has claimed the run.
  bool is_claimed(RunId run);

  /// Adds a whole run. One with its `run_id` is replaced.
  RunId import_run(const RunRecord& run, const std::string& output);

  std::vector<StoredRun> runs() const;             ///< In the order of their start.
  std::vector<StoredRun> unfinished_runs() const;  ///< The latest first.
  std::optional<RunId> find_run(const std::string& run_id) const;
  RunRecord load_header(RunId run) const;  ///< Without rows.
  std::vector<StoredRow> load_rows(RunId run) const;
  RunRecord load_run(RunId run) const { return make_document(load_header(run), load_rows(run)); }
  void remove_run(RunId run);     ///< With its points.
  void remove_points(RunId run);  ///< In a transaction of the caller's.

  /// Returns what SQLite's check of the whole file finds; empty if all is well.
  std::vector<std::string> check() const;
  std::int64_t version() const;  ///< Of the tables.
  /// Removes series without points, and returns unused space to the file system.
  void compact();

 private:
  int claims_file();

  std::filesystem::path path_;
  Database database_;
  FileDescriptor claims_;  // Of a file whose byte N is locked by the process that measures run N.
};

/// Returns the file of this host: ${XDG_STATE_HOME:-~/.local/state}/gpubench/HOST.sqlite. Empty without HOME.
std::filesystem::path default_store_path(const std::string& host);

}  // namespace gpubench
