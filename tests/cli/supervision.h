#pragma once
// gpubench with the stand-in as its worker (tests/support/stand_in_worker.cpp), and what must hold whatever
// happened.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"

namespace gpubench::test {

using Json = nlohmann::json;

/// A folder with a run of six cases: mlp and cnn with batch 16, 32 and 64, three epochs each, into run.json.
class Supervision {
 public:
  /// `behaviour`: the stand-in's options.
  explicit Supervision(const std::string& behaviour = "") { behave(behaviour); }

  void behave(const std::string& behaviour);

  /// The arguments of a new run; `more` comes last.
  static std::vector<std::string> arguments(const std::vector<std::string>& more = {});

  ProcessResult run(const std::vector<std::string>& more = {}) const {
    return gpubench_.run(arguments(more));
  }
  ProcessResult resume() const { return gpubench_.run({"--resume", "run.json"}); }
  const Gpubench& gpubench() const { return gpubench_; }

  StoredCounts stored() const { return count_stored(gpubench_.store()); }
  /// Waits until the store has at least these; false if that takes absurdly long.
  bool wait_for(const StoredCounts& least) const;

  Json document() const;

 private:
  Gpubench gpubench_;
};

/// Fails the test unless the document is valid and each of the six cases is in it exactly once, in order.
void check_whole(const Json& document);

/// The same, and each of them is `ok` with three epochs.
void check_all_ok(const Json& document);

/// The row of the case. Throws std::runtime_error where there is none.
Json to_row(const Json& document, const std::string& model, int batch);

/// The result without the reasons of missing values, which move to the document where all results have them.
inline Json without_reasons(Json result) {
  result.erase("missing");
  return result;
}

/// "ok", "timeout" and so on, a word a row.
std::string statuses(const Json& document);

/// Fails the test unless the rows that were ok are the same in a later document.
void check_kept(const Json& before, const Json& after);

/// Whether a stand-in still runs in the folder. Only Linux has /proc; elsewhere none is found.
bool has_worker(const std::filesystem::path& folder);

/// Whether memory is the affair of the address sanitizer, which keeps what was freed and ends who is refused
/// some; says then that the test is skipped.
bool has_sanitized_memory();

/// Asks again and again; false where `is_true` stays false for absurdly long.
bool wait_until(const std::function<bool()>& is_true);

}  // namespace gpubench::test
