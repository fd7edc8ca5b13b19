#pragma once

#include <filesystem>

#include "app/train_options.h"
#include "store/optional_store.h"

namespace gpubench {

/// Returns the file of --store, else of the environment variable GPUBENCH_STORE, else that of this host.
/// Empty with --no-store, or without HOME.
std::filesystem::path store_path(const StoreOptions& options);

/// Opens that file, made if it is missing.
OptionalStore open_store(const StoreOptions& options);

}  // namespace gpubench
