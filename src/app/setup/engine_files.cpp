#include "app/setup/libtorch.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "data/fetch/fetch.h"
#include "device/host/host_process.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"
#include "gpubench_version.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModule = "libgpubench_engine.so";
constexpr std::string_view kPrefix = "libtorch-";

/// Returns "2.11.0" from lines like "#define TORCH_VERSION_MAJOR 2".
std::string version_in(const std::string& header) {
  std::vector<std::string> numbers;
  std::istringstream lines(header);
  for (std::string line; std::getline(lines, line);) {
    for (const char* part : {"MAJOR ", "MINOR ", "PATCH "}) {
      const std::string define = std::string("#define TORCH_VERSION_") + part;
      if (line.starts_with(define)) numbers.push_back(line.substr(define.size()));
    }
  }
  return join(numbers, ".");
}

/// Returns the path of a library, such as "/opt/torch/lib/libtorch_cpu.so"; empty if it is missing.
fs::path library(const fs::path& torch, const std::string& name) {
  for (const char* suffix : {".so", ".dylib"}) {
    const fs::path path = torch / "lib" / ("lib" + name + suffix);
    if (file_exists(path)) return path;
  }
  return {};
}

bool has_libraries(const fs::path& torch, const TorchBuild& build) {
  return !library(torch, build.flavor == "cuda" ? "torch_cuda" : "torch_cpu").empty();
}

fs::path engine_folder() {
  return fs::path(executable_path()).parent_path().parent_path() / "lib" / "gpubench";
}

}  // namespace

TorchBuild own_torch_build() { return {GPUBENCH_TORCH_VERSION, GPUBENCH_TORCH_FLAVOR}; }

fs::path setup_cache() {
  const fs::path cache = cache_folder();
  require(cache.is_absolute(), "LibTorch cache: neither XDG_CACHE_HOME nor HOME is set; set one of them");
  return cache;
}

fs::path find_folder(const TorchBuild& build) {
  return setup_cache() / (std::string(kPrefix) + build.version + "-" + build.flavor);
}

bool is_set_up(const TorchBuild& build) {
  if (!cache_folder().is_absolute()) return false;
  const fs::path folder = find_folder(build);
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  // Its libraries run as this user.
  const bool is_own = status.st_uid == geteuid() || status.st_uid == 0;
  std::error_code ignored;
  return is_own && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
         fs::is_directory(folder / "torch" / "lib", ignored);
}

std::string torch_version_in(const fs::path& torch) {
  constexpr Bytes kLargestHeader{std::int64_t{1} << 16};
  // LibTorch 2.9 moved the header.
  for (const char* header : {"torch/headeronly/version.h", "torch/csrc/api/include/torch/version.h"}) {
    const Measured<std::string> text = read_untrusted_file(torch / "include" / header, kLargestHeader);
    const std::string version = text.has_value() ? version_in(text.value()) : "";
    if (!version.empty()) return version;
  }
  return "";
}

std::vector<TorchBuild> set_up_builds() {
  std::vector<TorchBuild> builds;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(setup_cache(), ignored)) {
    // "libtorch-2.11.0-cuda".
    const std::string name = entry.path().filename().string();
    const auto dash = name.rfind('-');
    if (!name.starts_with(kPrefix) || dash <= kPrefix.size()) continue;
    const TorchBuild build{name.substr(kPrefix.size(), dash - kPrefix.size()), name.substr(dash + 1)};
    if (is_set_up(build)) builds.push_back(build);
  }
  std::ranges::sort(builds, {}, [](const TorchBuild& build) { return build.version + build.flavor; });
  return builds;
}

std::optional<fs::path> find_torch(const TorchBuild& build) {
  const char* const named = std::getenv("GPUBENCH_TORCH");
  if (named == nullptr || *named == '\0')
    return is_set_up(build) ? std::optional(find_folder(build) / "torch") : std::nullopt;
  const std::string found = torch_version_in(named);
  require(!found.empty(),
          "GPUBENCH_TORCH={}: contains no LibTorch (include/ and lib/); unset it, and run 'gpubench setup'",
          named);
  require(found == build.version,
          "GPUBENCH_TORCH={}: is LibTorch {}, but gpubench needs {}; unset it, and run 'gpubench setup'",
          named, found, build.version);
  return has_libraries(named, build) ? std::optional<fs::path>(named) : std::nullopt;
}

std::optional<fs::path> find_torch_for_embedded_engine() {
  const fs::path known = GPUBENCH_TORCH_FOLDER;
  if (!known.empty() && has_libraries(known, own_torch_build())) return known;
  return find_torch(own_torch_build());
}

std::optional<fs::path> find_torch_on_library_path() {
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

std::vector<TorchBuild> engine_builds() {
  std::vector<TorchBuild> builds{own_torch_build()};
  const TorchBuild cuda{builds.front().version, "cuda"};
  if (builds.front() != cuda && file_exists(engine_folder() / "cuda" / kModule))
    builds.insert(builds.begin(), cuda);
  return builds;
}

std::optional<EngineFile> find_engine() {
  const fs::path folder = engine_folder();
  const TorchBuild cuda{own_torch_build().version, "cuda"};
  const fs::path for_cuda = folder / "cuda" / kModule;
  if (file_exists(for_cuda) && has_nvidia_driver() && find_torch(cuda))
    return EngineFile{for_cuda.string(), cuda};
  if (!file_exists(folder / kModule)) return std::nullopt;
  return EngineFile{(folder / kModule).string(), own_torch_build(), file_exists(folder / "torch" / "lib")};
}

std::vector<std::string> libraries_to_load(const fs::path& torch) {
  std::vector<std::string> libraries;
  for (const char* name : {"torch_cpu", "torch_cuda", "torch"}) {
    // libtorch links libtorch_cuda, which the CPU build leaves out.
    const bool is_unloadable = name == std::string_view("torch") && library(torch, "torch_cuda").empty();
    const fs::path path = library(torch, name);
    if (!path.empty() && !is_unloadable) libraries.push_back(path.string());
  }
  return libraries;
}

}  // namespace gpubench
