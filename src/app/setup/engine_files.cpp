#include "app/setup/engine_files.h"

#include <cstdlib>
#include <sstream>

#include "device/host/host_process.h"
#include "gpubench/core/error.h"
#include "gpubench_version.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModule = "libgpubench_engine.so";

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// "/opt/torch/lib/libtorch_cpu.so", or what it is called where that is a dylib; empty where it is neither.
fs::path library(const fs::path& torch, const std::string& name) {
  for (const char* suffix : {".so", ".dylib"}) {
    const fs::path path = torch / "lib" / ("lib" + name + suffix);
    if (is_there(path)) return path;
  }
  return {};
}

bool can_serve(const fs::path& torch, const TorchBuild& build) {
  return !library(torch, build.flavor == "cuda" ? "torch_cuda" : "torch_cpu").empty();
}

fs::path folder_of_engines(const fs::path& program) {
  return program.parent_path().parent_path() / "lib" / "gpubench";
}

/// GPUBENCH_TORCH, which must be of that version; empty where it is not set.
fs::path named_torch(const std::string& version) {
  const char* const named = std::getenv("GPUBENCH_TORCH");
  if (named == nullptr || *named == '\0') return {};
  const std::string found = torch_version_in(named);
  require(!found.empty(),
          "GPUBENCH_TORCH={}: holds no LibTorch (include/ and lib/); unset it, and run 'gpubench setup'",
          named);
  require(
      found == version,
      "GPUBENCH_TORCH={}: holds LibTorch {}, and this gpubench needs {}; unset it, and run 'gpubench setup'",
      named, found, version);
  return named;
}

}  // namespace

std::optional<fs::path> find_torch(const TorchBuild& build) {
  if (const fs::path named = named_torch(build.version); !named.empty())
    return can_serve(named, build) ? std::optional(named) : std::nullopt;
  if (!is_set_up(build)) return std::nullopt;
  return find_folder(build) / "torch";
}

std::optional<fs::path> find_torch_of_embedded_engine() {
  const fs::path known = GPUBENCH_TORCH_FOLDER;
  if (!known.empty() && can_serve(known, own_torch_build())) return known;
  return find_torch(own_torch_build());
}

std::optional<fs::path> find_torch_of_loader() {
  const char* const folders = std::getenv(library_path_variable().c_str());
  std::istringstream entries(folders != nullptr ? folders : "");
  for (std::string entry; std::getline(entries, entry, ':');) {
    const fs::path folder = fs::path(entry).lexically_normal();
    if (folder.filename() == "lib" && !library(folder.parent_path(), "torch_cpu").empty())
      return folder.parent_path();
  }
  return std::nullopt;
}

bool has_nvidia_driver() { return has_library("libcuda.so.1"); }

std::vector<TorchBuild> engine_builds(const fs::path& program) {
  std::vector<TorchBuild> builds{own_torch_build()};
  const TorchBuild cuda{builds.front().version, "cuda"};
  if (builds.front() != cuda && is_there(folder_of_engines(program) / "cuda" / kModule))
    builds.insert(builds.begin(), cuda);
  return builds;
}

std::optional<EngineFile> find_engine(const fs::path& program) {
  const fs::path folder = folder_of_engines(program);
  const TorchBuild cuda{own_torch_build().version, "cuda"};
  const fs::path for_cuda = folder / "cuda" / kModule;
  if (is_there(for_cuda) && has_nvidia_driver() && find_torch(cuda))
    return EngineFile{for_cuda.string(), cuda};
  if (!is_there(folder / kModule)) return std::nullopt;
  return EngineFile{(folder / kModule).string(), own_torch_build(), is_there(folder / "torch" / "lib")};
}

std::vector<std::string> libraries_to_load(const fs::path& torch) {
  std::vector<std::string> libraries;
  for (const char* name : {"torch_cpu", "torch_cuda", "torch"}) {
    // The one that is called for all of them needs all of them.
    const bool is_for_all = name == std::string_view("torch") && library(torch, "torch_cuda").empty();
    const fs::path path = library(torch, name);
    if (!path.empty() && !is_for_all) libraries.push_back(path.string());
  }
  return libraries;
}

}  // namespace gpubench
