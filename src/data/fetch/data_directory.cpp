#include <cstdlib>

#include "gpubench/core/error.h"
#include "gpubench/core/io/machine_cache.h"
#include "gpubench/dataset.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

std::string environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

fs::path data_directory(const std::string& option) {
  if (!option.empty()) return option;
  if (const std::string folder = environment_variable("GPUBENCH_DATA_DIR"); !folder.empty()) return folder;
  if (const fs::path cache = cache_folder(); !cache.empty()) return cache / "data";
  throw Error(ErrorKind::kUsage,
              "neither GPUBENCH_DATA_DIR nor HOME is set; say where data is with --data-dir");
}

}  // namespace gpubench
