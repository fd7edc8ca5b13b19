#pragma once
// Which files a LibTorch is made of: the checksums that scripts/lib/pins.txt has, of which the scripts take
// theirs too.

#include <string>
#include <string_view>
#include <vector>

#include "app/setup/torch_builds.h"

namespace gpubench {

/// A release of a package of the package index, of which each machine has a file of its own.
struct Pin {
  std::string package;  ///< "nvidia-cublas"
  std::string version;
  std::vector<std::string> sha256;  ///< One for each machine that is served.
};

/// Of a text in pip's format: "package==version" and "--hash=sha256:..." in lines that are continued.
std::vector<Pin> pins_in(std::string_view text);

/// Those that this program was built with.
const std::vector<Pin>& known_pins();

/// Of `pins`, those that the build is made of: LibTorch itself, and the libraries that it links. Throws a
/// usage Error where the version is not pinned.
std::vector<Pin> find_pins(const TorchBuild& build, const std::vector<Pin>& pins);

}  // namespace gpubench
