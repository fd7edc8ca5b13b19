#include "gpubench/core/io/machine_cache.h"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "gpubench/core/io/files.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

/// FNV-1a, 64 bits: a name for a file. The key itself is the file's first line.
std::string hash_of(const std::string& key) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char letter : key) hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211U;
  std::ostringstream text;
  text << std::hex << hash;
  return text.str();
}

}  // namespace

fs::path cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache != '\0') return fs::path(cache) / "gpubench";
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return fs::path(home) / ".cache" / "gpubench";
  return {};
}

fs::path MachineCache::file_of(const std::string& key) const { return folder_ / (hash_of(key) + ".txt"); }

std::optional<std::string> MachineCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  std::ifstream in(file_of(key), std::ios::binary);
  std::string stored;
  if (!std::getline(in, stored) || stored != key) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void MachineCache::store(const std::string& key, const std::string& text) const {
  if (folder_.empty()) return;
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  // What cannot be kept is found out again.
  ignored = write_file(file_of(key), key + "\n" + text);
}

}  // namespace gpubench
