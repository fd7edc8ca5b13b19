#include "app/setup/libtorch.h"

#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <span>
#include <sstream>

#include "data/fetch/fetch.h"
#include "gpubench/core/embedded_text.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/digest.h"
#include "gpubench/core/nearest.h"

namespace gpubench {

/// scripts/lib/pins.txt, embedded by the build.
std::span<const EmbeddedText> pins_texts();

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHash = "--hash=sha256:";

bool is_needed(const Pin& pin, const std::string& flavor) {
  if (pin.package == "torch") return true;
  // LibTorch's part for the CPU links these two all the same.
  if (flavor == "slim") return pin.package == "nvidia-cuda-runtime" || pin.package == "nvidia-cuda-cupti";
  return flavor == "cuda" && pin.package.starts_with("nvidia-");
}

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
              "{} has no file of {} {} for {} on {} with a known checksum; give another --from", place,
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

/// The folder of downloads and half-made folders, for one process at a time.
struct Workplace {
  Workplace() { clear(); }  // Of a process that was killed.
  ~Workplace() { clear(); }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  void clear() const {
    std::error_code ignored;
    fs::remove_all(site, ignored);
    fs::remove_all(rubbish, ignored);
  }

  fs::path folder = setup_cache() / "setup";
  FileDescriptor lock = locked_folder(folder, terms());
  fs::path site = folder / "site";
  fs::path rubbish = folder / "rubbish";  // Half removed under its own name it would be taken for a LibTorch.
};

/// Returns the file name and the address of the pin's file on an index page (PEP 503) read from `url`.
std::pair<RemoteFile, std::string> find_link(const Pin& pin, const Platform& platform, std::string_view page,
                                             const std::string& url) {
  for (const std::string& hash : pin.sha256) {
    // href="https://.../torch-2.11.0%2Bcu130-....whl#sha256=..."
    const auto end = page.find("#sha256=" + hash);
    const auto begin = end == std::string_view::npos ? end : page.rfind('"', end);
    if (begin == std::string_view::npos) continue;
    const std::string target(page.substr(begin + 1, end - begin - 1));
    const std::string name =
        std::regex_replace(target.substr(target.rfind('/') + 1), std::regex("%2[Bb]"), "+");
    if (is_for(name, platform)) return {{name, {}, hash}, absolute(target, url)};
  }
  fail_without(pin, platform, url);
}

fs::path download_package(const Pin& pin, const TorchSource& source, const Workplace& workplace) {
  const std::string url = source.place + (source.place.ends_with('/') ? "" : "/") + pin.package + "/";
  auto [file, address] = find_link(pin, source.platform, read_page(url, kLargestPage, terms()), url);
  file.size = remote_size(address, terms());
  const fs::path target = workplace.folder / file.name;
  if (!is_intact(target, file, terms())) download(file, address, target, source.progress, terms());
  return target;
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

/// Returns true for libraries, headers and licences; not for Python's part or, on the CPU alone, CUDA's.
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

void move_away(const fs::path& folder, const Workplace& workplace) {
  std::error_code failure;
  fs::rename(folder, workplace.rubbish, failure);
  if (failure)
    throw Error(ErrorKind::kData, "cannot remove {}: {}; check its permissions, or {}", folder.string(),
                failure.message(), terms().elsewhere);
}

/// Reads pins in pip's format: "package==version" and "--hash=sha256:..." in continued lines.
std::vector<Pin> read_pins(std::string_view text) {
  std::vector<Pin> pins;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (const auto equals = word.find("=="); equals != std::string::npos) {
      pins.push_back({word.substr(0, equals), word.substr(equals + 2), {}});
    } else if (word.starts_with(kHash) && !pins.empty()) {
      pins.back().sha256.push_back(word.substr(kHash.size()));
    }
  }
  return pins;
}

/// Returns the pins of LibTorch and the libraries it links. Throws a usage Error for an unpinned version.
std::vector<Pin> find_pins(const TorchBuild& build, const std::vector<Pin>& pins) {
  std::vector<Pin> needed;
  std::vector<std::string> versions;
  for (const Pin& pin : pins) {
    if (pin.package == "torch") versions.push_back(pin.version);
    if (is_needed(pin, build.flavor)) needed.push_back(pin);
  }
  require(std::ranges::find(versions, build.version) != versions.end(),
          "--torch {}: its checksums are not known here, but those of {}; name a folder that has it with "
          "GPUBENCH_TORCH",
          build.version, join(versions));
  return needed;
}

}  // namespace

const std::vector<Pin>& known_pins() {
  static const std::vector<Pin> pins = read_pins(pins_texts().front().text);
  return pins;
}

Platform own_platform() {
  utsname names{};
  uname(&names);
  const bool is_mac = std::string_view(names.sysname) == "Darwin";
  return {is_mac ? "macosx" : "linux", names.machine};
}

void set_up_torch(const TorchBuild& build, const TorchSource& source, bool is_again) {
  const std::vector<Pin> pins = find_pins(build, source.pins);
  const Workplace workplace;
  if (!is_again && is_set_up(build)) return;  // Another process was faster.
  const bool is_downloaded = source.place.starts_with("http://") || source.place.starts_with("https://");
  for (const Pin& pin : pins) {
    const fs::path file =
        is_downloaded ? download_package(pin, source, workplace) : find_package(pin, source);
    unpack_archive(file, workplace.site,
                   [&](const std::string& path) { return is_wanted(path, build.flavor); });
    std::error_code ignored;
    if (is_downloaded) fs::remove(file, ignored);  // Files in the user's folder stay.
  }
  // For GpubenchTorch.cmake: the CUDA part is missing on purpose.
  if (build.flavor == "slim") std::ofstream(workplace.site / "gpubench-slim");
  const fs::path folder = find_folder(build);
  std::error_code failure;
  if (fs::exists(fs::symlink_status(folder, failure))) move_away(folder, workplace);
  // Whatever the umask is, only this user may change it.
  fs::permissions(workplace.site, fs::perms(0755), failure);
  fs::rename(workplace.site, folder, failure);
  if (failure)
    throw Error(ErrorKind::kData, "cannot write {}: {}; {}", folder.string(), failure.message(),
                terms().elsewhere);
}

void remove_torch(const TorchBuild& build) {
  require(is_set_up(build), "{}: is not set up; see 'gpubench setup list'", find_folder(build).string());
  const Workplace workplace;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(workplace.folder, ignored)) {
    if (entry.path().filename() != ".lock") fs::remove(entry.path(), ignored);
  }
  move_away(find_folder(build), workplace);
}

}  // namespace gpubench
