#pragma once
// Fetches LibTorch packages, pinned in scripts/lib/pins.txt, from a pip index or a folder into the cache.

#include <string>
#include <vector>

#include "app/setup/engine_files.h"
#include "gpubench/dataset.h"

namespace gpubench {

/// A release of a package of the package index, which has a file for each kind of machine.
struct Pin {
  std::string package;  ///< "nvidia-cublas"
  std::string version;
  std::vector<std::string> sha256;  ///< One for each kind of machine.
};

/// Returns the pins that this program was built with.
const std::vector<Pin>& known_pins();

/// System and processor as file names of packages have them: "linux x86_64", "macosx arm64".
struct Platform {
  std::string system;
  std::string processor;
};
Platform own_platform();

struct TorchSource {
  std::string place;  ///< The URL of a package index, or a folder with the files that one has.
  Platform platform = own_platform();
  std::vector<Pin> pins = known_pins();
  DownloadProgress progress = {};
};

/// Fetches, checks and unpacks `build` to find_folder(build), which is always complete or missing. Continues
/// interrupted downloads. Safe for several processes at once. `is_again` replaces an existing LibTorch once
/// the new one is complete. Throws a data Error, and a usage Error for a version without pins.
void set_up_torch(const TorchBuild& build, const TorchSource& source, bool is_again = false);

/// Removes the build and all unfinished downloads. Throws a usage Error if it is not set up.
void remove_torch(const TorchBuild& build);

}  // namespace gpubench
