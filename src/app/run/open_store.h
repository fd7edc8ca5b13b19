#pragma once

#include "app/train_options.h"
#include "store/optional_store.h"

namespace gpubench {

/// Opens the file of --store, else of the environment variable GPUBENCH_STORE, else that of this host.
/// Returns no store with --no-store, or without HOME.
OptionalStore open_store(const StoreOptions& options);

}  // namespace gpubench
