#pragma once
// Fetches a LibTorch into the cache.

#include <string>
#include <vector>

#include "app/setup/engine_files.h"
#include "app/setup/packages.h"
#include "gpubench/dataset.h"

namespace gpubench {

/// Where LibTorch comes from.
struct TorchSource {
  std::string place;  ///< The URL of a package index, or a folder with the files that one has.
  Platform platform = own_platform();
  std::vector<Pin> pins = known_pins();
  DownloadProgress progress = {};
};

/// Fetches the packages of `build`, checks them and unpacks them to find_folder(build), which is always
/// either complete or missing. An interrupted download is continued next time. Safe to run from several
/// processes at once: the second one finds the result of the first one. `is_again` replaces an existing
/// LibTorch once the new one is complete. Throws a data Error, and a usage Error for a version without pins.
void set_up_torch(const TorchBuild& build, const TorchSource& source, bool is_again = false);

/// Removes the build and all unfinished downloads. Throws a usage Error if it is not set up.
void remove_torch(const TorchBuild& build);

}  // namespace gpubench
