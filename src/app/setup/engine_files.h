#pragma once
// Where gpubench has its engine, and the LibTorch that goes with it.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/setup/torch_builds.h"

namespace gpubench {

/// A file beside the program.
struct EngineFile {
  std::string path;
  TorchBuild torch;         ///< What it was built with.
  bool is_bundled = false;  ///< Whether that came along.
};

/// Whether this machine has a driver for NVIDIA GPUs.
bool has_nvidia_driver();

/// The engine in ../lib/gpubench of the folder of `program`: the one for CUDA where there is a driver and a
/// LibTorch with CUDA for it, else the other one, if any.
std::optional<EngineFile> find_engine(const std::filesystem::path& program);

/// What the engines of `program` were built with: the one inside it, or those that find_engine() chooses
/// from. The first is the one for CUDA, if any.
std::vector<TorchBuild> engine_builds(const std::filesystem::path& program);

/// The folder, with lib/ below it, of a LibTorch for an engine that was built with `build`: GPUBENCH_TORCH,
/// or what `gpubench setup` made. Nothing where there is none; GPUBENCH_TORCH without the CUDA part that
/// `build` has is none. Throws a usage Error where GPUBENCH_TORCH is no LibTorch of that version.
std::optional<std::filesystem::path> find_torch(const TorchBuild& build);

/// The same for the engine inside the program, for which the LibTorch that it was built with comes first.
std::optional<std::filesystem::path> find_torch_of_embedded_engine();

/// The LibTorch, if any, whose lib/ is among the folders that the loader is told to search before all others
/// (library_path_variable() of host_process.h), as `ab --torch` tells it.
std::optional<std::filesystem::path> find_torch_of_loader();

/// Its libraries from which all others are reached, in the order of loading.
std::vector<std::string> libraries_to_load(const std::filesystem::path& torch);

}  // namespace gpubench
