#include "app/run/open_store.h"

#include <cstdlib>

#include "device/host/host.h"

namespace gpubench {

std::filesystem::path find_store(const std::string& file) {
  if (!file.empty()) return file;
  const char* const variable = std::getenv("GPUBENCH_STORE");
  return variable != nullptr && *variable != '\0' ? variable : default_store_path(host_name());
}

OptionalStore open_store(const StoreOptions& options) {
  if (options.has_no_store) return {};
  const std::filesystem::path path = find_store(options.store);
  return path.empty() ? OptionalStore() : OptionalStore(path);
}

}  // namespace gpubench
