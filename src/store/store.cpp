#include "store/store.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <iterator>

#include "record/document/record_json.h"
#include "record/document/wire.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

// "gpub", the application ID in the header of the file.
constexpr std::int64_t kApplication = 0x67707562;

/// Statements that create version 1 and each later version. Times are UTC, units as in result files.
constexpr const char* kMigrations[] = {R"(
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  started_at TEXT NOT NULL,
  finished_at TEXT NOT NULL,     -- Empty if unfinished.
  output TEXT NOT NULL,          -- Absolute path of the result file.
  is_indexed INTEGER NOT NULL DEFAULT 0,  -- Its points are in the table point.
  header TEXT NOT NULL           -- The result file without its rows, JSON.
) STRICT;
CREATE INDEX run_started ON run (started_at);
CREATE INDEX run_unfinished ON run (started_at) WHERE finished_at = '';
CREATE INDEX run_to_index ON run (id) WHERE is_indexed = 0;
CREATE TABLE row (
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  position INTEGER NOT NULL,
  started_at TEXT NOT NULL DEFAULT '',
  has_ended INTEGER NOT NULL DEFAULT 0,
  record TEXT NOT NULL,          -- The result without derived figures, JSON.
  UNIQUE (run, position)
) STRICT;
CREATE INDEX row_ended ON row (run, has_ended);
CREATE TABLE epoch (
  run INTEGER NOT NULL,
  position INTEGER NOT NULL,
  number INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (run, position, number),
  FOREIGN KEY (run, position) REFERENCES row (run, position) ON DELETE CASCADE
) STRICT;
CREATE TABLE fact (key TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;
CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,      -- Work and machine, JSON.
  name TEXT NOT NULL,
  machine TEXT NOT NULL,
  runs INTEGER NOT NULL DEFAULT 0  -- Number of runs with a point.
) STRICT;
CREATE TABLE point (
  series INTEGER NOT NULL REFERENCES series ON DELETE CASCADE,
  started_at TEXT NOT NULL,      -- Start of the run, for the order of points.
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  metric TEXT NOT NULL,
  value REAL NOT NULL,           -- Median of the processes.
  low REAL,                      -- 95 % interval, if there are enough processes.
  high REAL,
  processes INTEGER NOT NULL,
  is_warned INTEGER NOT NULL,    -- Whether one of its rows has a warning.
  PRIMARY KEY (series, started_at, run, metric)
) STRICT, WITHOUT ROWID;
CREATE INDEX point_run ON point (run);
)",
                                       R"(
-- Metrics have the keys of result files, settings separate series, and points name their host. Points are
-- derived: those of all runs are made again.
ALTER TABLE point ADD COLUMN host TEXT NOT NULL DEFAULT '';
DELETE FROM point;
DELETE FROM series;
UPDATE run SET is_indexed = 0;
)"};
constexpr std::int64_t kVersion = std::size(kMigrations);

/// Creates the folder, checks the file system, and opens the file.
Database open_database(const fs::path& path, Database::Access access) {
  std::error_code error;
  const fs::path folder = path.parent_path();
  if (access == Database::Access::kWrite && !folder.empty() && !fs::exists(folder, error)) {
    fs::create_directories(folder, error);
    if (error) throw DatabaseError("cannot create its folder: " + error.message());
    // Command lines may contain private names.
    fs::permissions(folder, fs::perms::owner_all, error);
  }
  if (const std::string network = network_file_system(folder.empty() ? "." : folder); !network.empty())
    throw DatabaseError("is on a network file system (" + network + "), whose locks are unreliable");
  return Database(path, access);
}

/// Owner and version of a file. Read by one query, since another process may be creating the tables.
struct FileVersion {
  std::int64_t application = 0;
  std::int64_t version = 0;
  bool is_empty = false;
};

FileVersion read_version(const Database& database) {
  Statement query = database.query(
      "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) "
      "FROM pragma_application_id, pragma_user_version");
  query.step();
  return {query.integer(0), query.integer(1), query.integer(2) == 0};
}

/// Creates or updates the tables. Throws for a file of another program or of a newer version.
void migrate(const Database& database, Database::Access access) {
  const FileVersion file = read_version(database);
  const bool is_own = file.application == kApplication || (file.application == 0 && file.is_empty);
  if (!is_own) throw DatabaseError("is a database of another program");
  if (file.version > kVersion) throw DatabaseError("was written by a newer gpubench");
  if (file.version == kVersion) return;
  if (access == Database::Access::kRead) throw DatabaseError("has no runs yet, or is from an older gpubench");
  Transaction transaction(database);
  for (std::int64_t next = read_version(database).version; next < kVersion; ++next)
    database.run_all(kMigrations[next]);
  database.run_all(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, kVersion).c_str());
  transaction.commit();
}

struct flock make_lock(RunId run) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(run);
  lock.l_len = 1;
  return lock;
}

std::string header_text(const RunRecord& run) {
  return json_text(run_to_json({run.tool, run.plan, run.environment, {}, {}, {}}));
}

/// Inserts a run; `id` is that of the replaced run, if any.
RunId insert_run(const Database& database, const RunRecord& run, const std::string& output,
                 std::optional<RunId> id = {}) {
  database.run(
      "INSERT INTO run (id, run_id, kind, started_at, finished_at, output, header) VALUES (?, ?, ?, ?, ?, ?, "
      "?)",
      id, run.tool.run_id.value_or(""), run.plan.kind, run.tool.started_at, run.tool.finished_at.value_or(""),
      output, header_text(run));
  return database.last_id();
}

/// Scope in which commits are not synced to the disk.
class Unsynced {
 public:
  explicit Unsynced(const Database& database) : database_(database) {
    database_.run_all("PRAGMA synchronous = NORMAL");
  }
  ~Unsynced() {
    try {
      database_.run_all("PRAGMA synchronous = FULL");
    } catch (const Error&) {
      // The next statement reports the error.
    }
  }
  Unsynced(const Unsynced&) = delete;
  Unsynced& operator=(const Unsynced&) = delete;

 private:
  const Database& database_;
};

std::vector<StoredRun> read_runs(const Database& database, const char* which, const char* order) {
  constexpr const char* kQuery =
      "SELECT id, run_id, kind, started_at, finished_at, output, (SELECT count(*) FROM row WHERE run = "
      "run.id), "
      "(SELECT count(*) FROM row WHERE run = run.id AND has_ended = 1) FROM run {} {}";
  std::vector<StoredRun> runs;
  Statement query = database.query(fmt::format(kQuery, which, order).c_str());
  while (query.step()) {
    runs.push_back({query.integer(0), query.text(1), query.text(2), query.text(3), query.text(4),
                    query.text(5), query.integer(6), query.integer(7)});
  }
  return runs;
}

EpochRecord read_epoch(const std::string& text) {
  const Json json = parse_document(text);
  try {
    EpochRecord epoch;
    read_wire(json, epoch);
    return epoch;
  } catch (const std::exception& error) {  // Also of the JSON library.
    throw DatabaseError(fmt::format("is damaged: {}", error.what()));
  }
}

}  // namespace

RunRecord make_document(const RunRecord& header, const std::vector<StoredRow>& rows) {
  RunRecord document = header;
  for (StoredRow row : rows) {
    RowRecord& facts = get_row(row.record);
    const bool is_explained = facts.status == RowStatus::kInterrupted && !facts.status_reason.empty();
    if (!row.has_ended && !is_explained) {
      facts.status = RowStatus::kInterrupted;
      facts.status_reason = row.started_at.empty() ? "the run ended before this row began"
                                                   : "the run ended while this row was running";
    }
    if (auto* const of_case = std::get_if<CaseRecord>(&row.record)) {
      if (!row.has_ended && !row.started_at.empty()) of_case->started_at = row.started_at;
      document.cases.push_back(std::move(*of_case));
    } else {
      document.operations.push_back(std::move(std::get<OpRecord>(row.record)));
    }
  }
  return document;
}

Store::Store(fs::path path, Database::Access access)
    : path_(std::move(path)), database_(open_database(path_, access)) {
  migrate(database_, access);
  if (access == Database::Access::kRead) return;
  database_.use_write_ahead_log();
  database_.run_all("PRAGMA synchronous = FULL");
}

std::optional<std::string> Store::find_fact(const std::string& key) const {
  Statement query = database_.query("SELECT text FROM fact WHERE key = ?", key);
  return query.step() ? std::optional(query.text(0)) : std::nullopt;
}

FactTexts Store::find_facts(const std::string& prefix) const {
  FactTexts facts;
  Statement query =
      database_.query("SELECT key, text FROM fact WHERE substr(key, 1, length(?)) = ?", prefix, prefix);
  while (query.step()) facts[query.text(0)] = query.text(1);
  return facts;
}

void Store::keep_fact(const std::string& key, const std::string& text) {
  database_.run(
      "INSERT INTO fact (key, text) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET text = excluded.text", key,
      text);
}

RunId Store::begin_run(const RunRecord& header, const std::vector<Result>& planned,
                       const std::string& output) {
  Transaction transaction(database_);
  const RunId run = insert_run(database_, header, output);
  for (std::size_t i = 0; i < planned.size(); ++i) add_row(run, i, planned[i]);
  claim(run);
  transaction.commit();
  return run;
}

void Store::add_row(RunId run, std::size_t position, const Result& planned) {
  database_.run("INSERT INTO row (run, position, record) VALUES (?, ?, ?)", run, position,
                json_text(raw_json(planned)));
}

void Store::start_row(RunId run, std::size_t position, const Result& planned, const std::string& at) {
  const Unsynced unsynced(database_);
  Transaction transaction(database_);
  database_.run("UPDATE row SET record = ?, started_at = ?, has_ended = 0 WHERE run = ? AND position = ?",
                json_text(raw_json(planned)), at, run, position);
  database_.run("DELETE FROM epoch WHERE run = ? AND position = ?", run, position);
  transaction.commit();
}

void Store::add_epoch(RunId run, std::size_t position, std::size_t number, const EpochRecord& epoch) {
  const Unsynced unsynced(database_);
  database_.run("INSERT INTO epoch (run, position, number, record) VALUES (?, ?, ?, ?)", run, position,
                number, json_text(wire_json(epoch)));
}

void Store::finish_row(RunId run, std::size_t position, const Result& result) {
  Transaction transaction(database_);
  const bool has_ended = get_row(result).status != RowStatus::kInterrupted;
  database_.run("UPDATE row SET record = ?, has_ended = ? WHERE run = ? AND position = ?",
                json_text(raw_json(result)), has_ended, run, position);
  database_.run("DELETE FROM epoch WHERE run = ? AND position = ?", run, position);
  transaction.commit();
}

void Store::set_header(RunId run, const RunRecord& header) {
  database_.run("UPDATE run SET header = ?, finished_at = ?, is_indexed = 0 WHERE id = ?",
                header_text(header), header.tool.finished_at.value_or(""), run);
}

bool Store::claim(RunId run) {
  struct flock lock = make_lock(run);
  return fcntl(claims_file(), F_SETLK, &lock) == 0;
}

bool Store::is_claimed(RunId run) {
  struct flock lock = make_lock(run);
  return fcntl(claims_file(), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

int Store::claims_file() {
  if (claims_.is_open()) return claims_.get();
  const fs::path file = path_.string() + "-claims";
  claims_.reset(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!claims_.is_open()) throw DatabaseError(fmt::format("{}: {}", file.string(), std::strerror(errno)));
  return claims_.get();
}

RunId Store::import_run(const RunRecord& run, const std::string& output) {
  Transaction transaction(database_);
  const std::optional<RunId> former = find_run(run.tool.run_id.value_or(""));
  if (former) remove_run(*former);
  const RunId id = insert_run(database_, run, output, former);
  std::size_t position = 0;
  const auto add = [&](const auto& row, const std::string& started_at) {
    database_.run("INSERT INTO row (run, position, started_at, has_ended, record) VALUES (?, ?, ?, ?, ?)", id,
                  position++, started_at, row.status != RowStatus::kInterrupted, json_text(raw_json(row)));
  };
  for (const CaseRecord& row : run.cases) add(row, row.started_at.value_or(""));
  for (const OpRecord& row : run.operations) add(row, "");
  transaction.commit();
  return id;
}

std::vector<StoredRun> Store::runs() const { return read_runs(database_, "", "ORDER BY started_at, id"); }

std::vector<StoredRun> Store::unfinished_runs() const {
  return read_runs(database_, "WHERE finished_at = ''", "ORDER BY started_at DESC, id DESC");
}

std::optional<RunId> Store::find_run(const std::string& run_id) const {
  Statement query = database_.query("SELECT id FROM run WHERE run_id = ?", run_id);
  return query.step() ? std::optional(query.integer(0)) : std::nullopt;
}

RunRecord Store::load_header(RunId run) const {
  Statement query = database_.query("SELECT header FROM run WHERE id = ?", run);
  if (!query.step()) throw DatabaseError(fmt::format("has no run {}", run));
  return any_run_from_json(parse_document(query.text(0)));
}

std::vector<StoredRow> Store::load_rows(RunId run) const {
  std::vector<StoredRow> rows;
  Statement query =
      database_.query("SELECT record, started_at, has_ended FROM row WHERE run = ? ORDER BY position", run);
  while (query.step())
    rows.push_back({result_from_json(parse_document(query.text(0))), query.text(1), query.integer(2) != 0});
  Statement epochs =
      database_.query("SELECT position, record FROM epoch WHERE run = ? ORDER BY position, number", run);
  while (epochs.step()) {
    const auto position = static_cast<std::size_t>(epochs.integer(0));
    auto* const record = position < rows.size() ? std::get_if<CaseRecord>(&rows[position].record) : nullptr;
    if (record == nullptr) throw DatabaseError("is damaged: an epoch has no row");
    gpubench::add_epoch(*record, read_epoch(epochs.text(1)));
  }
  return rows;
}

void Store::remove_run(RunId run) {
  remove_points(run);
  database_.run("DELETE FROM run WHERE id = ?", run);
}

void Store::remove_points(RunId run) {
  database_.run(
      "UPDATE series SET runs = runs - 1 WHERE id IN (SELECT DISTINCT series FROM point WHERE run = ?)", run);
  database_.run("DELETE FROM point WHERE run = ?", run);
}

std::vector<std::string> Store::check() const {
  std::vector<std::string> faults;
  Statement query = database_.query("PRAGMA integrity_check");
  while (query.step()) {
    if (const std::string found = query.text(0); found != "ok") faults.push_back(found);
  }
  return faults;
}

std::int64_t Store::version() const { return read_version(database_).version; }

void Store::compact() {
  database_.run("DELETE FROM series WHERE runs = 0");
  database_.run("VACUUM");
}

fs::path default_store_path(const std::string& host) {
  const fs::path folder = state_folder();
  return folder.empty() ? folder : folder / (host + ".sqlite");
}

}  // namespace gpubench
