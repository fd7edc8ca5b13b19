#include "app/commands/stored_series.h"

#include <system_error>

#include "app/run/run.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"
#include "power/log/values.h"

namespace gpubench {

namespace fs = std::filesystem;

fs::path require_store_path(const std::string& store) {
  fs::path path = find_store(store);
  require(!path.empty(), "--store: has no default, since HOME is not set; name a file");
  return path;
}

fs::path find_existing_store(const std::string& store) {
  fs::path path = require_store_path(store);
  std::error_code ignored;
  require(
      fs::exists(path, ignored),
      "store {}: does not exist yet; run a benchmark, or import result files with 'gpubench history import'",
      path.string());
  return path;
}

std::unique_ptr<Store> open_indexed(const fs::path& path) {
  try {
    auto store = std::make_unique<Store>(path);
    index_runs(*store);
    return store;
  } catch (const DatabaseError& error) {
    auto store = std::make_unique<Store>(path, Database::Access::kRead);
    if (has_runs_to_index(*store))
      log_info("store {}: {}; its newest runs are missing in this output", path.string(), error.what());
    return store;
  }
}

ExitCode with_store(const fs::path& path, const std::function<ExitCode(const fs::path& path)>& use) {
  try {
    return use(path);
  } catch (const DatabaseError& error) {
    throw Error(error.is_damaged() ? ErrorKind::kData : ErrorKind::kUsage, "store {}: {}; {}", path.string(),
                error.what(),
                error.is_damaged() ? "see 'gpubench history check'" : "choose another file with --store");
  }
}

std::vector<HistorySeries> find_matches(std::vector<HistorySeries> all,
                                        const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    std::erase_if(all, [&](const HistorySeries& one) {
      return lower(one.name + " " + one.machine).find(lower(word)) == std::string::npos;
    });
  }
  require(!all.empty(), "series '{}': is not in the store; list series with 'gpubench history list'",
          join(words, " "));
  return all;
}

void require_date(const std::string& option, const std::string& date) {
  constexpr std::size_t kLength = 10;
  require(date.size() == kLength && date[4] == '-' && parse_stamp(date + " 00:00:00").has_value(),
          "{} {}: is not a date; write it like 2026-11-26", option, date);
}

}  // namespace gpubench
