#pragma once
// Engine of a program, LibTorch of an engine, and how that is fetched. Builds of LibTorch have a folder each
// in the cache, which `gpubench setup` and the scripts that build gpubench share.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gpubench/dataset.h"

namespace gpubench {

struct TorchBuild {
  std::string version;  ///< "2.11.0"
  std::string flavor;   ///< "slim" (the CPU alone), "cuda" or "macos", as GPUBENCH_TORCH_FLAVOR has them.

  friend bool operator==(const TorchBuild&, const TorchBuild&) = default;
};

/// Returns the build that the engine of this program was built with.
TorchBuild own_torch_build();

/// Returns the cache folder of all builds. Throws a usage Error if neither XDG_CACHE_HOME nor HOME is set.
std::filesystem::path setup_cache();

/// Returns the folder in which the build is, or would be, set up. Throws as setup_cache() does.
std::filesystem::path find_folder(const TorchBuild& build);

/// Returns true if the build is there, whole, and only this user or root can write to it.
bool is_set_up(const TorchBuild& build);

std::vector<TorchBuild> set_up_builds();

/// Returns the version of the LibTorch whose include/ is in the folder `torch`; empty if it has none.
std::string torch_version_in(const std::filesystem::path& torch);

bool has_nvidia_driver();

/// An engine in a file beside the program.
struct EngineFile {
  std::string path;
  TorchBuild torch;         ///< What it was built with.
  bool is_bundled = false;  ///< Whether that came along.
};

/// Returns the engine in ../lib/gpubench of the program's folder: the one for CUDA if there is a driver and a
/// LibTorch with CUDA for it, else the other one, if any.
std::optional<EngineFile> find_engine();

/// Returns the build of the embedded engine, or those that find_engine() chooses from, CUDA first.
std::vector<TorchBuild> engine_builds();

/// Returns a LibTorch for an engine of `build`: GPUBENCH_TORCH (with the CUDA part that `build` has), or that
/// of `gpubench setup`. Throws a usage Error if GPUBENCH_TORCH is no LibTorch of that version.
std::optional<std::filesystem::path> find_torch(const TorchBuild& build);

/// Returns a LibTorch for the embedded engine: the one that it was built with, else as find_torch().
std::optional<std::filesystem::path> find_torch_of_embedded_engine();

/// Returns the LibTorch that the loader's path begins with (library_path_variable()), as set by `ab --torch`.
std::optional<std::filesystem::path> find_torch_of_loader();

/// Returns its libraries from which all others are reached, in the order of loading.
std::vector<std::string> libraries_to_load(const std::filesystem::path& torch);

// --- Fetching the packages, pinned in scripts/lib/pins.txt, from a pip index or a folder ---

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
