#include "app/run/open_store.h"

#include <cstdlib>
#include <filesystem>

#include "device/host/host.h"

namespace gpubench {

std::filesystem::path store_path(const StoreOptions& options) {
  if (options.has_no_store) return {};
  const char* const variable = std::getenv("GPUBENCH_STORE");
  std::filesystem::path path = options.store;
  if (path.empty() && variable != nullptr) path = variable;
  return path.empty() ? default_store_path(host_name()) : path;
}

OptionalStore open_store(const StoreOptions& options) {
  const std::filesystem::path path = store_path(options);
  return path.empty() ? OptionalStore() : OptionalStore(path);
}

}  // namespace gpubench
