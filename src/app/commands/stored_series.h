#pragma once

#include <filesystem>
#include <functional>
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

/// Returns `use(path)`. Adds the path and a remedy to errors of the database: a damaged file is a data Error,
/// anything else a usage Error.
ExitCode with_store(const std::filesystem::path& path,
                    const std::function<ExitCode(const std::filesystem::path& path)>& use);

/// Returns the series whose name or machine contains each word. Throws a usage Error if no series does.
std::vector<HistorySeries> find_matches(std::vector<HistorySeries> all,
                                        const std::vector<std::string>& words);

/// Throws a usage Error unless the text is "2026-11-26".
void require_date(const std::string& option, const std::string& date);

}  // namespace gpubench
