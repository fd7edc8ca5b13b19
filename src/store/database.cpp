#include "store/database.h"

#include <sqlite3.h>
#include <unistd.h>

#include <chrono>

namespace gpubench {
namespace {

constexpr std::chrono::milliseconds kLongestWait{10'000};

[[noreturn]] void fail(sqlite3* database) {
  const int code = database == nullptr ? SQLITE_NOMEM : sqlite3_errcode(database);
  switch (code) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      throw DatabaseError("is damaged or not an SQLite database", /*is_damaged=*/true);
    case SQLITE_FULL:
      throw DatabaseError("cannot be written: the disk is full");
    case SQLITE_READONLY:
      throw DatabaseError("is read-only");
    case SQLITE_BUSY:
      throw DatabaseError("is locked by another process");
    default:
      throw DatabaseError(sqlite3_errstr(code));
  }
}

/// Returns the name for SQLite. Readers in WAL mode write to the folder unless the file is immutable.
std::string make_uri(const std::filesystem::path& path, Database::Access access) {
  std::string uri = "file:";
  for (const char c : path.string()) {
    if (std::string_view("%?#").find(c) == std::string_view::npos)
      uri += c;
    else
      uri += fmt::format("%{:02x}", static_cast<int>(c));
  }
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code ignored;
  const bool is_fixed = access == Database::Access::kRead && ::access(folder.c_str(), W_OK) != 0 &&
                        !std::filesystem::exists(path.string() + "-wal", ignored);
  return uri + (is_fixed ? "?immutable=1" : "");
}

}  // namespace

Statement::Statement(sqlite3& database, const char* sql)
    : database_(&database), statement_(nullptr, sqlite3_finalize) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database_, sql, -1, &statement, nullptr) != SQLITE_OK) fail(database_);
  statement_.reset(statement);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) fail(database_);
  return code == SQLITE_ROW;
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

double Statement::number(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string Statement::text(int column) const {
  const auto* const text = sqlite3_column_text(statement_.get(), column);
  if (text == nullptr) return {};
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void Statement::bind(int place, std::int64_t value) {
  if (sqlite3_bind_int64(statement_.get(), place, value) != SQLITE_OK) fail(database_);
}

void Statement::bind(int place, double value) {
  if (sqlite3_bind_double(statement_.get(), place, value) != SQLITE_OK) fail(database_);
}

void Statement::bind(int place, std::string_view value) {
  const int code =
      sqlite3_bind_text64(statement_.get(), place, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) fail(database_);
}

void Statement::bind_null(int place) {
  if (sqlite3_bind_null(statement_.get(), place) != SQLITE_OK) fail(database_);
}

Database::Database(const std::filesystem::path& path, Access access) : database_(nullptr, sqlite3_close_v2) {
  sqlite3* database = nullptr;
  const int flags =
      (access == Access::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) |
      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
  const int code = sqlite3_open_v2(make_uri(path, access).c_str(), &database, flags, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) fail(database);
  sqlite3_busy_timeout(database, static_cast<int>(kLongestWait.count()));
  // The file may be untrusted: forbids functions in its schema, and detects damaged pages.
  run_all("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON");
}

void Database::run_all(const char* sql) const {
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(database_.get());
}

void Database::use_write_ahead_log() const {
  constexpr std::chrono::milliseconds kPause{10};
  const auto set = [this] {
    return sqlite3_exec(database_.get(), "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
  };
  int code = set();
  for (auto waited = kPause; code == SQLITE_BUSY && waited < kLongestWait; waited += kPause) {
    sqlite3_sleep(static_cast<int>(kPause.count()));
    code = set();
  }
  if (code != SQLITE_OK) fail(database_.get());
}

std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(database_.get()); }

std::int64_t Database::changes() const { return sqlite3_changes(database_.get()); }

Transaction::Transaction(const Database& database) : database_(database) {
  database_.run_all("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!is_open_) return;
  try {
    database_.run_all("ROLLBACK");
  } catch (const Error&) {
    // SQLite has already rolled back.
  }
}

void Transaction::commit() {
  database_.run_all("COMMIT");
  is_open_ = false;
}

}  // namespace gpubench
