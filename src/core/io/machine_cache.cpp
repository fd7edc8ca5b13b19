#include "gpubench/core/io/machine_cache.h"

#include <cstdlib>

#include "gpubench/core/io/digest.h"
#include "gpubench/core/io/files.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

fs::path folder_in(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? value : "";
}

}  // namespace

fs::path cache_folder() {
  if (const fs::path cache = folder_in("XDG_CACHE_HOME"); !cache.empty()) return cache / "gpubench";
  const fs::path home = folder_in("HOME");
  return home.empty() ? home : home / ".cache" / "gpubench";
}

fs::path MachineCache::find_file(const std::string& key) const {
  return folder_ / (sha256(std::as_bytes(std::span(key))) + ".txt");
}

std::optional<std::string> MachineCache::find(const std::string& key, Bytes most) const {
  if (folder_.empty()) return std::nullopt;
  const Measured<std::string> stored = read_outside_file(find_file(key), most, Owner::kThisUser);
  if (!stored.has_value() || !stored.value().starts_with(key + "\n")) return std::nullopt;
  return stored.value().substr(key.size() + 1);
}

void MachineCache::store(const std::string& key, const std::string& text) const {
  if (folder_.empty()) return;
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  // What cannot be kept is found out again.
  ignored = write_file(find_file(key), key + "\n" + text);
}

}  // namespace gpubench
