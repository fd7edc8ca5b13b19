#include "app/setup/torch_setup.h"

#include <fstream>

#include "data/fetch/archive.h"
#include "data/fetch/download.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestPage{std::int64_t{16} << 20};

const FetchTerms& terms() {
  static const FetchTerms known{.address_option = "--from",
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

  /// The folder that is being made.
  fs::path site() const { return folder_ / "site"; }
  /// The folder that is being removed: half removed under its own name it would be taken for a LibTorch.
  fs::path rubbish() const { return folder_ / "rubbish"; }
  fs::path download(const std::string& name) const { return folder_ / name; }
  /// Removes unfinished downloads.
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

/// Whether a file of a package is a part of a LibTorch of that flavour: libraries, headers, licences.
/// LibTorch for Python and, for the CPU alone, its CUDA part are not.
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

void fill(const fs::path& site, const TorchBuild& build, const TorchSource& source,
          const Workplace& workplace) {
  for (const Pin& pin : find_pins(build, source.pins)) {
    const fs::path file = obtain(pin, source, workplace);
    unpack_tree(file, site, [&](const std::string& path) { return is_wanted(path, build.flavor); });
    std::error_code ignored;
    if (is_url(source.place)) fs::remove(file, ignored);  // Files in the user's folder stay.
  }
  // For GpubenchTorch.cmake: the CUDA part is missing on purpose.
  if (build.flavor == "slim") std::ofstream(site / "gpubench-slim");
}

void move_away(const fs::path& folder, const Workplace& workplace) {
  std::error_code failure;
  fs::rename(folder, workplace.rubbish(), failure);
  if (failure)
    throw Error(ErrorKind::kData, "cannot remove {}: {}; check its permissions, or {}", folder.string(),
                failure.message(), terms().elsewhere);
}

}  // namespace

void set_up_torch(const TorchBuild& build, const TorchSource& source, bool is_again) {
  find_pins(build, source.pins);  // Throws for an unknown version before anything is made.
  const Workplace workplace;
  if (!is_again && is_set_up(build)) return;  // Another process was faster.
  fill(workplace.site(), build, source, workplace);
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
