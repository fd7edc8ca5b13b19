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

/// One process at a time may fill a dataset's folder: holds it as long as the result lives; the system
/// releases it if the process dies. Works between the threads of a process too. Makes the folder if need be
/// and waits for whoever holds it. Throws a data Error if the folder cannot be made or written.
FileDescriptor locked(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) fail(folder, failure.message());
  // A file of its own: a lock on the part file would follow that file to its final name.
  FileDescriptor file(open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  while (!file.is_open() || ::flock(file.get(), LOCK_EX) != 0) {
    if (!file.is_open() || errno != EINTR) fail(folder, std::generic_category().message(errno));
  }
  return file;
}

bool holds_official_files(const DatasetEntry& entry, const fs::path& data_dir) {
  try {
    return is_official(verify_dataset(entry, data_dir));
  } catch (const Error&) {
    return false;  // missing or damaged: what fetching is for
  }
}

}  // namespace

void fetch_dataset(const DatasetEntry& entry, const fs::path& data_dir, const std::string& base_url,
                   const DownloadProgress& progress) {
  const fs::path folder = data_dir / entry.folder;
  if (entry.files.empty()) {  // They are the user's own.
    if (entry.is_present(folder)) return;
    throw Error(ErrorKind::kData, "{} cannot be downloaded: it is {}; put them into {}", entry.name,
                entry.summary, folder.string());
  }
  if (holds_official_files(entry, data_dir)) return;
  const FileDescriptor lock = locked(folder);
  if (holds_official_files(entry, data_dir)) return;  // another process was faster
  std::string base = base_url.empty() ? entry.base_url : base_url;
  while (base.ends_with('/')) base.pop_back();
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
  const char* const folder = std::getenv("GPUBENCH_DATA_DIR");
  if (folder != nullptr && *folder != '\0') return folder;
  if (const fs::path cache = cache_folder(); !cache.empty()) return cache / "data";
  throw Error(ErrorKind::kUsage,
              "neither GPUBENCH_DATA_DIR nor HOME is set; say where data is with --data-dir");
}

}  // namespace gpubench
