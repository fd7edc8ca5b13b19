#pragma once
// C++ interface to SQLite. A database may be used by one thread only.

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

/// A statement failed, or the file is unusable. The text does not include the path.
class DatabaseError : public Error {
 public:
  explicit DatabaseError(const std::string& why, bool is_damaged = false)
      : Error(ErrorKind::kUsage, why), is_damaged_(is_damaged) {}

  /// Returns true if the content of the file is damaged.
  bool is_damaged() const { return is_damaged_; }

 private:
  bool is_damaged_;
};

/// A statement with its values, and the current row of a query. Columns count from 0.
class Statement {
 public:
  /// Goes to the next row; false after the last one. Throws a DatabaseError.
  bool step();

  std::int64_t integer(int column) const;
  double number(int column) const;
  std::string text(int column) const;  ///< Empty if the value is null.
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
    else  // std::optional.
      value ? bind_any(place, *value) : bind_null(place);
  }

  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
};

class Database {
 public:
  enum class Access {
    kRead,   ///< Opens an existing file, also in a read-only folder.
    kWrite,  ///< Creates a missing file.
  };

  /// Opens the file. Statements wait up to ten seconds for another process. Throws a DatabaseError.
  Database(const std::filesystem::path& path, Access access);

  /// Returns a query; step() goes through its rows. `values` replace each "?" in order.
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

  /// Runs statements without values, separated by ";".
  void run_all(const char* sql) const;

  /// Enables WAL mode. Waits for other processes, which SQLite does not do for this statement.
  void use_write_ahead_log() const;

  std::int64_t last_id() const;
  std::int64_t changes() const;  ///< Number of rows that the last statement changed.

 private:
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> database_;
};

/// Transaction. The destructor rolls back unless commit() was called.
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
