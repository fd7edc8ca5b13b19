#pragma once
// The LibTorch that gpubench runs with, where it does not come with the program: one folder a version and
// flavour in the cache, which `gpubench setup` and the scripts that build gpubench share.

#include <filesystem>
#include <string>
#include <vector>

#include "gpubench/core/units.h"

namespace gpubench {

struct TorchBuild {
  std::string version;  ///< "2.11.0"
  std::string flavor;   ///< "slim" (the CPU alone), "cuda" or "macos", as GPUBENCH_TORCH_FLAVOR has them.

  friend bool operator==(const TorchBuild&, const TorchBuild&) = default;
};

/// What the engine of this program was built with.
TorchBuild own_torch_build();

/// Where it is, or would be, set up. Throws a usage Error where neither XDG_CACHE_HOME nor HOME is set.
std::filesystem::path find_folder(const TorchBuild& build);

/// The folder that all of them are in. Throws the same.
std::filesystem::path setup_cache();

/// Whether it is there, whole, and nobody but this user or root can write to it.
bool is_set_up(const TorchBuild& build);

/// The version of the LibTorch whose include/ is in the folder `torch`; empty where it has none.
std::string torch_version_in(const std::filesystem::path& torch);

/// All that are there, by their names.
std::vector<TorchBuild> set_up_builds();

/// Disk space of a folder and all below it.
Bytes size_on_disk(const std::filesystem::path& folder);

}  // namespace gpubench
