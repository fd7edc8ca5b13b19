#pragma once

#include <filesystem>
#include <string>

#include "app/train_options.h"
#include "store/optional_store.h"

namespace gpubench {

/// Returns `file`, else GPUBENCH_STORE, else the store of this host; empty if HOME is not set.
std::filesystem::path find_store(const std::string& file);

/// Opens find_store(). Returns an empty store with --no-store, or if HOME is not set.
OptionalStore open_store(const StoreOptions& options);

}  // namespace gpubench
