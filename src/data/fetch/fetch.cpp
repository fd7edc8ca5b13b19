#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "data/fetch/download.h"
#include "data/fetch/raw_file.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/io/machine_cache.h"
#include "gpubench/dataset.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& folder, const std::string& reason) {
  throw Error(ErrorKind::kData, "cannot write to {}: {}; choose another folder with --data-dir",
              folder.string(), reason);
}

/// One process at a time may fill a dataset's folder: holds it until the end of its life; the system releases
/// it if the process dies. Works between the threads of a process too.
class FolderLock {
 public:
  /// Makes the folder if need be and waits for whoever holds it. Throws a data Error if the folder cannot be
  /// made or written.
  explicit FolderLock(const fs::path& folder) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure) fail(folder, failure.message());
    // A file of its own: a lock on the part file would follow that file to its final name.
    file_.reset(open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file_.is_open() || lock() != 0) fail(folder, std::generic_category().message(errno));
  }

 private:
  int lock() const {
    int status = 0;
    do {
      status = ::flock(file_.get(), LOCK_EX);
    } while (status != 0 && errno == EINTR);
    return status;
  }

  FileDescriptor file_;
};

std::string environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool holds_official_files(const DatasetEntry& entry, const fs::path& data_dir) {
  try {
    return is_official(verify_dataset(entry, data_dir));
  } catch (const Error&) {
    return false;  // missing or damaged: what fetching is for
  }
}

std::string without_trailing_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

/// Some datasets are the user's own.
void require_presence(const DatasetEntry& entry, const fs::path& folder) {
  if (entry.is_present(folder)) return;
  throw Error(ErrorKind::kData, "{} cannot be downloaded: it is {}; put them into {}", entry.name,
              entry.summary, folder.string());
}

}  // namespace

void fetch_dataset(const DatasetEntry& entry, const fs::path& data_dir, const std::string& base_url,
                   const DownloadProgress& progress) {
  const fs::path folder = data_dir / entry.folder;
  if (entry.files.empty()) return require_presence(entry, folder);
  if (holds_official_files(entry, data_dir)) return;
  const FolderLock lock(folder);
  if (holds_official_files(entry, data_dir)) return;  // another process was faster
  const std::string base = without_trailing_slash(base_url.empty() ? entry.base_url : base_url);
  for (const RemoteFile& file : entry.files) {
    if (is_intact(folder / file.name, file)) continue;
    download(file, base + "/" + file.name, folder / file.name, RetryPolicy{}, progress);
  }
  if (entry.unpack != nullptr) entry.unpack(folder);
}

DatasetRecord verify_dataset(const DatasetEntry& entry, const fs::path& data_dir) {
  return entry.load(data_dir / entry.folder).record;
}

fs::path data_directory(const std::string& option) {
  if (!option.empty()) return option;
  if (const std::string folder = environment_variable("GPUBENCH_DATA_DIR"); !folder.empty()) return folder;
  if (const fs::path cache = cache_folder(); !cache.empty()) return cache / "data";
  throw Error(ErrorKind::kUsage,
              "neither GPUBENCH_DATA_DIR nor HOME is set; say where data is with --data-dir");
}

}  // namespace gpubench
