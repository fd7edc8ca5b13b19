#include <cstdlib>

#include "gpubench/core/error.h"
#include "gpubench/dataset.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

std::string environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

fs::path cache_folder() {
  if (const std::string cache = environment_variable("XDG_CACHE_HOME"); !cache.empty()) return cache;
  if (const std::string home = environment_variable("HOME"); !home.empty()) return fs::path(home) / ".cache";
  throw Error(ErrorKind::kUsage,
              "neither GPUBENCH_DATA_DIR nor HOME is set; say where data is with --data-dir");
}

}  // namespace

fs::path data_directory(const std::string& option) {
  if (!option.empty()) return option;
  if (const std::string folder = environment_variable("GPUBENCH_DATA_DIR"); !folder.empty()) return folder;
  return cache_folder() / "gpubench" / "data";
}

}  // namespace gpubench
