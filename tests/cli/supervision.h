#pragma once
// Runs gpubench with stand-in workers (tests/support/stand_in_worker.cpp), and checks its documents.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"

namespace gpubench::test {

using Json = nlohmann::json;

/// A run of six cases with stand-in workers: mlp and cnn, batch 16, 32 and 64, three epochs each, in
/// run.json.
class Supervision {
 public:
  /// `behaviour` are options of the stand-in.
  explicit Supervision(const std::string& behaviour = "") { behave(behaviour); }

  void behave(const std::string& behaviour);

  /// Returns the arguments of a new run, followed by `more`.
  static std::vector<std::string> arguments(const std::vector<std::string>& more = {});

  ProcessResult run(const std::vector<std::string>& more = {}) const {
    return gpubench_.run(arguments(more));
  }
  ProcessResult resume() const { return gpubench_.run({"--resume", "run.json"}); }
  const Gpubench& gpubench() const { return gpubench_; }

  StoredCounts stored() const { return count_stored(gpubench_.store()); }
  /// Waits until the store has at least these counts. Returns false after a minute.
  bool wait_for(const StoredCounts& least) const;

  Json document() const;

 private:
  Gpubench gpubench_;
};

/// Fails the test unless the document is valid and has each of the six cases exactly once, in order.
void check_whole(const Json& document);

/// Calls check_whole(). Fails the test unless each case is `ok` with three epochs.
void check_all_ok(const Json& document);

/// Returns the row of the case. Throws std::runtime_error if it is missing.
Json to_row(const Json& document, const std::string& model, int batch);

/// Returns the result without the reasons of missing values, which move to the document if all results share
/// them.
inline Json without_reasons(Json result) {
  result.erase("missing");
  return result;
}

/// Returns a word per row, such as "ok" or "timeout".
std::string statuses(const Json& document);

/// Fails the test unless `after` has the ok rows of `before` unchanged.
void check_kept(const Json& before, const Json& after);

/// Returns true if a stand-in still runs in the folder. Always false without /proc.
bool has_worker(const std::filesystem::path& folder);

/// Returns true, and reports a skipped test, if the address sanitizer manages memory: it delays freeing
/// memory, and aborts after a failed allocation.
bool has_sanitized_memory();

/// Waits until `is_true` returns true. Returns false after a minute.
bool wait_until(const std::function<bool()>& is_true);

}  // namespace gpubench::test
