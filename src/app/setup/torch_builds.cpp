#include "app/setup/torch_builds.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "gpubench/core/error.h"
#include "gpubench/core/io/machine_cache.h"
#include "gpubench/core/io/outside_file.h"
#include "gpubench/core/nearest.h"
#include "gpubench_version.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "libtorch-";

/// Whoever can write to it can have us run what they like.
bool is_of_this_user(const fs::path& folder) {
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  const bool is_own = status.st_uid == geteuid() || status.st_uid == 0;
  return is_own && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// "libtorch-2.11.0-cuda"; a build without a version for any other name.
TorchBuild build_named(const std::string& name) {
  const auto dash = name.rfind('-');
  if (!name.starts_with(kPrefix) || dash < kPrefix.size()) return {};
  return {name.substr(kPrefix.size(), dash - kPrefix.size()), name.substr(dash + 1)};
}

/// "2.11.0", of lines like "#define TORCH_VERSION_MAJOR 2".
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

}  // namespace

TorchBuild own_torch_build() { return {GPUBENCH_TORCH_VERSION, GPUBENCH_TORCH_FLAVOR}; }

fs::path setup_cache() {
  const fs::path cache = cache_folder();
  require(cache.is_absolute(),
          "neither XDG_CACHE_HOME nor HOME is set; say with one of them where LibTorch is");
  return cache;
}

fs::path find_folder(const TorchBuild& build) {
  return setup_cache() / (std::string(kPrefix) + build.version + "-" + build.flavor);
}

bool is_set_up(const TorchBuild& build) {
  if (!cache_folder().is_absolute()) return false;
  std::error_code ignored;
  const fs::path folder = find_folder(build);
  return is_of_this_user(folder) && fs::is_directory(folder / "torch" / "lib", ignored);
}

std::string torch_version_in(const fs::path& torch) {
  constexpr Bytes kLargestHeader{std::int64_t{1} << 16};
  // The header with the numbers moved in 2.9.
  for (const char* header : {"torch/headeronly/version.h", "torch/csrc/api/include/torch/version.h"}) {
    const Measured<std::string> text = read_outside_file(torch / "include" / header, kLargestHeader);
    const std::string version = text.has_value() ? version_in(text.value()) : "";
    if (!version.empty()) return version;
  }
  return "";
}

std::vector<TorchBuild> set_up_builds() {
  std::vector<TorchBuild> builds;
  std::error_code ignored;
  for (fs::directory_iterator entry(setup_cache(), ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const TorchBuild build = build_named(entry->path().filename().string());
    if (!build.version.empty() && is_set_up(build)) builds.push_back(build);
  }
  std::ranges::sort(builds, {}, [](const TorchBuild& build) { return build.version + build.flavor; });
  return builds;
}

Bytes size_on_disk(const fs::path& folder) {
  Bytes total;
  std::error_code ignored;
  for (fs::recursive_directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    std::error_code unknown;
    const auto size = entry->is_symlink(unknown) ? 0 : fs::file_size(entry->path(), unknown);
    if (!unknown) total = total + Bytes{static_cast<std::int64_t>(size)};
  }
  return total;
}

}  // namespace gpubench
