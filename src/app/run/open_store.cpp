#include "app/run/open_store.h"

#include <cstdlib>
#include <filesystem>

#include "device/host/host.h"

namespace gpubench {

OptionalStore open_store(const StoreOptions& options) {
  if (options.has_no_store) return {};
  const char* const variable = std::getenv("GPUBENCH_STORE");
  std::filesystem::path path = options.store;
  if (path.empty() && variable != nullptr) path = variable;
  if (path.empty()) path = default_store_path(host_name());
  return path.empty() ? OptionalStore() : OptionalStore(path);
}

}  // namespace gpubench
