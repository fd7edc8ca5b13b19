#pragma once
// SQLite's C API as three small classes. A database is used by one thread.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "gpubench/core/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace gpubench {

/// A statement of the database failed, or its file cannot be used. The text has no path.
class DatabaseError : public Error {
 public:
  explicit DatabaseError(const std::string& why, bool is_damaged = false)
      : Error(ErrorKind::kUsage, why), is_damaged_(is_damaged) {}

  /// Returns true if the content of the file is at fault.
  bool is_damaged() const { return is_damaged_; }

 private:
  bool is_damaged_;
};

/// A statement with its values; of a query the row that step() went to. Columns count from 0.
class Statement {
 public:
  /// Goes to the next row; false after the last one. Throws a DatabaseError.
  bool step();

  std::int64_t integer(int column) const;
  double number(int column) const;
  std::string text(int column) const;  ///< Empty where the value is null.
  bool is_null(int column) const;

 private:
  friend class Database;

  Statement(sqlite3& database, const char* sql);

  void bind(int place, std::int64_t value);
  void bind(int place, double value);
  void bind(int place, std::string_view value);
  void bind_null(int place);

  template <class Value>
  void bind_any(int place, const Value& value) {
    if constexpr (std::is_integral_v<Value>)
      bind(place, static_cast<std::int64_t>(value));
    else if constexpr (std::is_convertible_v<Value, std::string_view>)
      bind(place, std::string_view(value));
    else if constexpr (std::is_floating_point_v<Value>)
      bind(place, static_cast<double>(value));
    else  // An optional one.
      value ? bind_any(place, *value) : bind_null(place);
  }

  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
};

class Database {
 public:
  enum class Access {
    kRead,   ///< The file exists, and stays as it is; its folder may be read-only.
    kWrite,  ///< A missing file is made.
  };

  /// Waits up to ten seconds for another process in each statement. Throws a DatabaseError.
  Database(const std::filesystem::path& path, Access access);

  /// Returns a query of which step() returns the rows. `values` take the places of "?", in their order.
  template <class... Values>
  Statement query(const char* sql, const Values&... values) const {
    Statement statement(*database_, sql);
    [[maybe_unused]] int place = 0;
    (statement.bind_any(++place, values), ...);
    return statement;
  }

  /// Runs one statement to its end.
  template <class... Values>
  void run(const char* sql, const Values&... values) const {
    Statement statement = query(sql, values...);
    while (statement.step()) {
    }
  }

  /// Runs statements without values, with ";" between them.
  void run_all(const char* sql) const;

  /// Makes commits append to a log. Waits for other processes, which SQLite itself does not do here.
  void use_write_ahead_log() const;

  std::int64_t last_id() const;
  std::int64_t changes() const;  ///< Rows that the last statement changed.

 private:
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> database_;
};

/// All changes up to commit() happen, or none of them.
class Transaction {
 public:
  explicit Transaction(const Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  const Database& database_;
  bool is_open_ = true;
};

}  // namespace gpubench
