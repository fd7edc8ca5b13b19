#pragma once
// Finds the engine of this program and its LibTorch, and downloads LibTorch. Each build of LibTorch has a
// folder in the cache, which `gpubench setup` shares with the build scripts.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gpubench/dataset.h"

namespace gpubench {

struct TorchBuild {
  std::string version;  ///< "2.11.0"
  std::string flavor;   ///< "slim" (CPU only), "cuda" or "macos"; see GPUBENCH_TORCH_FLAVOR.

  friend bool operator==(const TorchBuild&, const TorchBuild&) = default;
};

/// Returns the LibTorch build that this program was compiled with.
TorchBuild own_torch_build();

/// Returns the cache folder of all builds. Throws a usage Error if neither XDG_CACHE_HOME nor HOME is set.
std::filesystem::path setup_cache();

/// Returns the folder of the build, whether or not it is set up. Throws as setup_cache() does.
std::filesystem::path find_folder(const TorchBuild& build);

/// Returns true if the build is complete, and only this user or root can write to it.
bool is_set_up(const TorchBuild& build);

std::vector<TorchBuild> set_up_builds();

/// Returns the LibTorch version in the headers of the folder `torch`; empty if they are missing.
std::string torch_version_in(const std::filesystem::path& torch);

bool has_nvidia_driver();

/// An engine that is installed beside the program.
struct EngineFile {
  std::string path;
  TorchBuild torch;         ///< LibTorch build that it was compiled with.
  bool is_bundled = false;  ///< That LibTorch is installed beside it.
};

/// Returns the engine in ../lib/gpubench relative to the program: the CUDA engine if its driver and LibTorch
/// are installed, else the CPU engine, if any.
std::optional<EngineFile> find_engine();

/// Returns the LibTorch builds that the engines of this program need, CUDA first.
std::vector<TorchBuild> engine_builds();

/// Returns a LibTorch for an engine of `build`: GPUBENCH_TORCH if it is set and has the needed libraries,
/// else that of `gpubench setup`. Throws a usage Error if GPUBENCH_TORCH is not a LibTorch of that version.
std::optional<std::filesystem::path> find_torch(const TorchBuild& build);

/// Returns a LibTorch for the embedded engine: the one that it was compiled with, else that of find_torch().
std::optional<std::filesystem::path> find_torch_for_embedded_engine();

/// Returns the first LibTorch on the loader's path (library_path_variable()), which `ab --torch` sets.
std::optional<std::filesystem::path> find_torch_on_library_path();

/// Returns the libraries to load from a LibTorch, in the order of loading. They link all others.
std::vector<std::string> libraries_to_load(const std::filesystem::path& torch);

// --- Download of the packages pinned in scripts/lib/pins.txt, from a pip index or a folder ---

/// A pinned release of a Python package, which has a file per platform.
struct Pin {
  std::string package;  ///< "nvidia-cublas"
  std::string version;
  std::vector<std::string> sha256;  ///< Checksums of the files.
};

/// Returns the pins that are built into this program.
const std::vector<Pin>& known_pins();

/// System and processor as in file names of packages: "linux x86_64", "macosx arm64".
struct Platform {
  std::string system;
  std::string processor;
};
Platform own_platform();

struct TorchSource {
  std::string place;  ///< URL of a package index, or folder with package files.
  Platform platform = own_platform();
  std::vector<Pin> pins = known_pins();
  DownloadProgress progress = {};
};

/// Downloads, checks and unpacks `build` to find_folder(build), which is either complete or missing. Resumes
/// interrupted downloads. Safe for concurrent processes. If `is_forced`, replaces an existing LibTorch after
/// the new one is complete. Throws a data Error, and a usage Error for a version without pins.
void set_up_torch(const TorchBuild& build, const TorchSource& source, bool is_forced = false);

/// Removes the build and all unfinished downloads. Throws a usage Error if the build is not set up.
void remove_torch(const TorchBuild& build);

}  // namespace gpubench
