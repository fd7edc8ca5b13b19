#pragma once
// Fetches a LibTorch into the cache.

#include <string>
#include <vector>

#include "app/setup/package_index.h"
#include "app/setup/pins.h"
#include "app/setup/torch_builds.h"
#include "gpubench/dataset.h"

namespace gpubench {

/// Where LibTorch comes from.
struct TorchSource {
  std::string place;  ///< The URL of a package index, or a folder with the files that one has.
  Platform platform = own_platform();
  std::vector<Pin> pins = known_pins();
  DownloadProgress progress = {};
};

/// Fetches what `build` is made of, checks it and unpacks it to find_folder(build), which is complete or not
/// there at any time. What was downloaded when it is ended early is gone on with the next time. Safe to run
/// from several processes at once: the second one finds what the first one made. With `is_again` what is
/// there is replaced, once the new one is whole. Throws a data Error, and a usage Error for a version that is
/// not pinned.
void set_up_torch(const TorchBuild& build, const TorchSource& source, bool is_again = false);

/// Removes it, and what was downloaded of any that was not finished. Throws a usage Error where it is not
/// there.
void remove_torch(const TorchBuild& build);

}  // namespace gpubench
