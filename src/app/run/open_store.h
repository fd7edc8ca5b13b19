#pragma once

#include <filesystem>
#include <string>

#include "app/train_options.h"
#include "store/optional_store.h"

namespace gpubench {

/// Returns `file`, else that of the environment variable GPUBENCH_STORE, else that of this host. Empty
/// without HOME.
std::filesystem::path find_store(const std::string& file);

/// Opens that file. Returns no store with --no-store, or without HOME.
OptionalStore open_store(const StoreOptions& options);

}  // namespace gpubench
