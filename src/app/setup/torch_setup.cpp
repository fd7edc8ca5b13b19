#include "app/setup/libtorch.h"

#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <span>
#include <sstream>

#include "data/fetch/fetch.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/embedded_text.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/digest.h"

namespace gpubench {

/// Returns scripts/lib/pins.txt, embedded by the build.
std::span<const EmbeddedText> pins_texts();

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHash = "--hash=sha256:";

/// Returns true if a file is for the platform: "torch-2.11.0-cp312-cp312-manylinux_2_28_x86_64.whl".
bool is_for(const std::string& name, const Platform& platform) {
  const std::string tag = name.substr(name.rfind('-') + 1);
  return tag.find(platform.system) != std::string::npos && tag.ends_with("_" + platform.processor + ".whl");
}

/// Resolves `link`, which may be relative to the page at `url`.
std::string absolute(const std::string& link, const std::string& url) {
  if (link.find("://") != std::string::npos) return link;
  const auto host_end = url.find('/', url.find("://") + 3);
  if (link.starts_with('/')) return url.substr(0, host_end) + link;
  std::string base = url.substr(0, url.rfind('/'));
  std::string rest = link;
  while (rest.starts_with("../")) {
    rest.erase(0, 3);
    base.resize(std::max(host_end, base.rfind('/')));
  }
  return base + "/" + rest;
}

[[noreturn]] void fail_without(const Pin& pin, const Platform& platform, const std::string& place) {
  throw Error(ErrorKind::kData,
              "{}: has no file of {} {} for {} on {} with a pinned checksum; give another --from", place,
              pin.package, pin.version, platform.system, platform.processor);
}

constexpr Bytes kLargestPage{std::int64_t{16} << 20};

const FetchTerms& terms() {
  static const FetchTerms known{.address_setting = "--from",
                                .elsewhere = "name another folder with XDG_CACHE_HOME",
                                .checksum_name = "SHA-256",
                                .compute_checksum = file_sha256};
  return known;
}

/// Locked folder of downloads and incomplete builds, for one process at a time.
struct StagingFolder {
  StagingFolder() { clear(); }  // Removes leftovers of a killed process.
  ~StagingFolder() { clear(); }

  void clear() const {
    std::error_code ignored;
    fs::remove_all(unpacked, ignored);
    fs::remove_all(discarded, ignored);
  }

  fs::path folder = setup_cache() / "setup";
  FileDescriptor lock = locked_folder(folder, terms());
  fs::path unpacked = folder / "site";
  fs::path discarded =
      folder / "rubbish";  // Builds are deleted here: elsewhere, half a build may look complete.
};

/// Downloads the file of a pin that an index page (PEP 503) links.
fs::path download_package(const Pin& pin, const TorchSource& source, const StagingFolder& staging) {
  const std::string url = source.place + (source.place.ends_with('/') ? "" : "/") + pin.package + "/";
  const std::string page = read_page(url, kLargestPage, terms());
  for (const std::string& hash : pin.sha256) {
    // href="https://.../torch-2.11.0%2Bcu130-....whl#sha256=..."
    const auto end = page.find("#sha256=" + hash);
    const auto begin = end == std::string::npos ? end : page.rfind('"', end);
    if (begin == std::string::npos) continue;
    const std::string link = page.substr(begin + 1, end - begin - 1);
    const std::string name = std::regex_replace(link.substr(link.rfind('/') + 1), std::regex("%2[Bb]"), "+");
    if (!is_for(name, source.platform)) continue;
    const std::string address = absolute(link, url);
    const RemoteFile file{name, remote_size(address, terms()), hash};
    const fs::path target = staging.folder / name;
    if (!is_intact(target, file, terms())) download(file, address, target, source.progress, terms());
    return target;
  }
  fail_without(pin, source.platform, url);
}

fs::path find_package(const Pin& pin, const TorchSource& source) {
  // "nvidia_cublas-13.1.0.3-"
  std::string prefix = pin.package + "-" + pin.version + "-";
  std::replace(prefix.begin(), prefix.begin() + std::ssize(pin.package), '-', '_');
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(source.place, ignored)) {
    const std::string name = entry.path().filename().string();
    const bool is_its = name.starts_with(prefix) && is_for(name, source.platform);
    if (is_its && std::ranges::count(pin.sha256, file_sha256(entry.path())) > 0) return entry.path();
  }
  fail_without(pin, source.platform, source.place);
}

/// Returns true for libraries, headers and licences, except Python bindings and, for a CPU build, CUDA.
bool is_wanted(const std::string& path, const std::string& flavor) {
  const std::string top = path.substr(0, path.find('/'));
  if (top == "nvidia" || top.ends_with(".dist-info")) return true;
  if (path.starts_with("torch/lib/libtorch_python.")) return false;
  const bool is_of_cuda =
      path.starts_with("torch/lib/libtorch_cuda") || path == "torch/lib/libtorch_nvshmem.so";
  if (flavor == "slim" && is_of_cuda) return false;
  const auto is_below = [&](const char* folder) { return path.starts_with(folder); };
  return is_below("torch/lib/") || is_below("torch/include/") || is_below("torch/share/");
}

void discard(const fs::path& folder, const StagingFolder& staging) {
  std::error_code failure;
  fs::rename(folder, staging.discarded, failure);
  if (failure)
    throw Error(ErrorKind::kData, "cannot remove {}: {}; check its permissions, or {}", folder.string(),
                failure.message(), terms().elsewhere);
}

/// Returns the pins of LibTorch and of the libraries it links. Throws a usage Error for an unpinned version.
std::vector<Pin> find_pins(const TorchBuild& build, const std::vector<Pin>& pins) {
  std::vector<Pin> needed;
  std::vector<std::string> versions;
  for (const Pin& pin : pins) {
    if (pin.package == "torch") versions.push_back(pin.version);
    // The CPU library of LibTorch links two libraries of CUDA as well.
    const bool is_needed = pin.package == "torch" ||
                           (build.flavor == "cuda" && pin.package.starts_with("nvidia-")) ||
                           (build.flavor == "slim" &&
                            (pin.package == "nvidia-cuda-runtime" || pin.package == "nvidia-cuda-cupti"));
    if (is_needed) needed.push_back(pin);
  }
  require(
      std::ranges::find(versions, build.version) != versions.end(),
      "--torch {}: has no pinned checksums; choose {}, or set GPUBENCH_TORCH to a folder with this version",
      build.version, join(versions));
  return needed;
}

}  // namespace

const std::vector<Pin>& known_pins() {
  // In pip's format: "package==version" and "--hash=sha256:..." in continued lines.
  static const std::vector<Pin> known = [] {
    std::vector<Pin> pins;
    std::istringstream words{std::string(pins_texts().front().text)};
    for (std::string word; words >> word;) {
      if (const auto equals = word.find("=="); equals != std::string::npos) {
        pins.push_back({word.substr(0, equals), word.substr(equals + 2), {}});
      } else if (word.starts_with(kHash) && !pins.empty()) {
        pins.back().sha256.push_back(word.substr(kHash.size()));
      }
    }
    return pins;
  }();
  return known;
}

Platform own_platform() {
  utsname names{};
  uname(&names);
  const bool is_mac = std::string_view(names.sysname) == "Darwin";
  return {is_mac ? "macosx" : "linux", names.machine};
}

void set_up_torch(const TorchBuild& build, const TorchSource& source, bool is_forced) {
  const std::vector<Pin> pins = find_pins(build, source.pins);
  const StagingFolder staging;
  if (!is_forced && is_set_up(build)) return;  // Another process was faster.
  const bool is_downloaded = source.place.starts_with("http://") || source.place.starts_with("https://");
  for (const Pin& pin : pins) {
    const fs::path file = is_downloaded ? download_package(pin, source, staging) : find_package(pin, source);
    unpack_archive(file, staging.unpacked,
                   [&](const std::string& path) { return is_wanted(path, build.flavor); });
    std::error_code ignored;
    if (is_downloaded) fs::remove(file, ignored);
  }
  // Marks for GpubenchTorch.cmake that CUDA is missing on purpose.
  if (build.flavor == "slim") std::ofstream(staging.unpacked / "gpubench-slim");
  const fs::path folder = find_folder(build);
  std::error_code failure;
  if (fs::exists(fs::symlink_status(folder, failure))) discard(folder, staging);
  // Lets only this user write, regardless of the umask; see is_set_up().
  fs::permissions(staging.unpacked, fs::perms(0755), failure);
  fs::rename(staging.unpacked, folder, failure);
  if (failure)
    throw Error(ErrorKind::kData, "cannot write {}: {}; {}", folder.string(), failure.message(),
                terms().elsewhere);
}

void remove_torch(const TorchBuild& build) {
  require(is_set_up(build), "{}: is not set up; see 'gpubench setup list'", find_folder(build).string());
  const StagingFolder staging;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(staging.folder, ignored)) {
    if (entry.path().filename() != ".lock") fs::remove(entry.path(), ignored);
  }
  discard(find_folder(build), staging);
}

}  // namespace gpubench
