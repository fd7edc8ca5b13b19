#include "app/setup/torch_setup.h"

#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>

#include "data/fetch/archive.h"
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
                                .compute_checksum = sha256_of_file};
  return known;
}

bool is_url(const std::string& place) {
  return place.starts_with("http://") || place.starts_with("https://");
}

/// The folder of downloads and half-made folders, for one process at a time.
class Workplace {
 public:
  Workplace() : folder_(setup_cache() / "setup"), lock_(locked_folder(folder_, terms())) {
    clear();  // Of a process that was killed.
  }
  ~Workplace() { clear(); }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  fs::path site() const { return folder_ / "site"; }
  /// The folder that is being removed: half removed under its own name it would be taken for a LibTorch.
  fs::path rubbish() const { return folder_ / "rubbish"; }
  fs::path download(const std::string& name) const { return folder_ / name; }
  void drop_downloads() const {
    std::error_code ignored;
    for (fs::directory_iterator entry(folder_, ignored), end; !ignored && entry != end;
         entry.increment(ignored)) {
      std::error_code failure;
      if (entry->path().filename() != ".lock") fs::remove(entry->path(), failure);
    }
  }

 private:
  void clear() const {
    std::error_code ignored;
    fs::remove_all(site(), ignored);
    fs::remove_all(rubbish(), ignored);
  }

  fs::path folder_;
  FileDescriptor lock_;
};

/// The package's file on this machine, downloaded if need be.
fs::path obtain(const Pin& pin, const TorchSource& source, const Workplace& workplace) {
  if (!is_url(source.place)) return file_in_folder(pin, source.platform, source.place).address;
  const std::string url = source.place + (source.place.ends_with('/') ? "" : "/") + pin.package + "/";
  PinnedFile found = file_on_page(pin, source.platform, read_page(url, kLargestPage, terms()), url);
  found.file.size = remote_size(found.address, terms());
  const fs::path target = workplace.download(found.file.name);
  if (!is_intact(target, found.file, terms()))
    download(found.file, found.address, target, source.progress, terms());
  return target;
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
  fs::rename(folder, workplace.rubbish(), failure);
  if (failure)
    throw Error(ErrorKind::kData, "cannot remove {}: {}; check its permissions, or {}", folder.string(),
                failure.message(), terms().elsewhere);
}

}  // namespace

std::vector<Pin> pins_in(std::string_view text) {
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

const std::vector<Pin>& known_pins() {
  static const std::vector<Pin> pins = pins_in(pins_texts().front().text);
  return pins;
}

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

Platform own_platform() {
  utsname names{};
  uname(&names);
  const bool is_mac = std::string_view(names.sysname) == "Darwin";
  return {is_mac ? "macosx" : "linux", names.machine};
}

PinnedFile file_on_page(const Pin& pin, const Platform& platform, std::string_view page,
                        const std::string& url) {
  for (const std::string& hash : pin.sha256) {
    // href="https://.../torch-2.11.0%2Bcu130-....whl#sha256=..."
    const auto end = page.find("#sha256=" + hash);
    const auto begin = end == std::string_view::npos ? end : page.rfind('"', end);
    const bool is_link = begin != std::string_view::npos && page.find('"', end) != std::string_view::npos;
    if (!is_link) continue;
    const std::string target(page.substr(begin + 1, end - begin - 1));
    std::string name = target.substr(target.rfind('/') + 1);
    for (const char* code : {"%2B", "%2b"}) {
      for (auto at = name.find(code); at != std::string::npos; at = name.find(code)) name.replace(at, 3, "+");
    }
    if (is_for(name, platform)) return {{name, {}, hash}, absolute(target, url)};
  }
  fail_without(pin, platform, url);
}

PinnedFile file_in_folder(const Pin& pin, const Platform& platform, const std::string& folder) {
  // "nvidia_cublas-13.1.0.3-"
  std::string prefix = pin.package + "-" + pin.version + "-";
  std::replace(prefix.begin(), prefix.begin() + std::ssize(pin.package), '-', '_');
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix) || !is_for(name, platform)) continue;
    const std::string hash = sha256_of_file(entry->path());
    if (std::ranges::find(pin.sha256, hash) == pin.sha256.end()) continue;
    const Bytes size{static_cast<std::int64_t>(fs::file_size(entry->path()))};
    return {{name, size, hash}, entry->path().string()};
  }
  fail_without(pin, platform, folder);
}

void set_up_torch(const TorchBuild& build, const TorchSource& source, bool is_again) {
  find_pins(build, source.pins);  // Throws for an unknown version before anything is made.
  const Workplace workplace;
  if (!is_again && is_set_up(build)) return;  // Another process was faster.
  for (const Pin& pin : find_pins(build, source.pins)) {
    const fs::path file = obtain(pin, source, workplace);
    unpack_tree(file, workplace.site(),
                [&](const std::string& path) { return is_wanted(path, build.flavor); });
    std::error_code ignored;
    if (is_url(source.place)) fs::remove(file, ignored);  // Files in the user's folder stay.
  }
  // For GpubenchTorch.cmake: the CUDA part is missing on purpose.
  if (build.flavor == "slim") std::ofstream(workplace.site() / "gpubench-slim");
  const fs::path folder = find_folder(build);
  std::error_code failure;
  if (fs::exists(fs::symlink_status(folder, failure))) move_away(folder, workplace);
  // Whatever the umask is, only this user may change it.
  fs::permissions(workplace.site(), fs::perms(0755), failure);
  fs::rename(workplace.site(), folder, failure);
  if (failure)
    throw Error(ErrorKind::kData, "cannot write {}: {}; {}", folder.string(), failure.message(),
                terms().elsewhere);
}

void remove_torch(const TorchBuild& build) {
  require(is_set_up(build), "{}: is not set up; see 'gpubench setup list'", find_folder(build).string());
  const Workplace workplace;
  workplace.drop_downloads();
  move_away(find_folder(build), workplace);
}

}  // namespace gpubench
