#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gpubench/core/error.h"
#include "history/history.h"

namespace gpubench {

/// Returns find_store(). Throws a usage Error if that is empty.
std::filesystem::path require_store_path(const std::string& store);
/// Returns find_store(). Throws a usage Error if the file does not exist.
std::filesystem::path find_existing_store(const std::string& store);

/// Opens the store and indexes its new runs. If it is read-only, the newest runs may be missing.
std::unique_ptr<Store> open_indexed(const std::filesystem::path& path);

/// Returns the Error that names the file and what to do: a data Error if it is damaged, else a usage Error.
Error explain_store_error(const std::filesystem::path& path, const DatabaseError& error);

/// Calls `use`, and adds the path to errors of the database.
template <class Use>
ExitCode with_store(const std::filesystem::path& path, const Use& use) {
  try {
    return use();
  } catch (const DatabaseError& error) {
    throw explain_store_error(path, error);
  }
}

/// Returns the series whose name or machine contains each word.
std::vector<HistorySeries> find_matches(std::vector<HistorySeries> all,
                                        const std::vector<std::string>& words);

/// Throws a usage Error unless the text is "2026-11-26".
void require_date(const std::string& option, const std::string& date);

}  // namespace gpubench
