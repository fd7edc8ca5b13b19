#include <algorithm>
#include <cstdlib>

#include "data/fetch/download.h"
#include "data/fetch/folder_lock.h"
#include "data/fetch/raw_file.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/io/machine_cache.h"
#include "gpubench/dataset.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

/// What can be read and is of another size than the publisher's was put there by the user: a subset, say.
bool is_users_own(const DataFileRecord& file, const std::vector<RemoteFile>& official) {
  const auto known = std::ranges::find(official, file.name, &RemoteFile::name);
  return file.provenance != "official" && (known == official.end() || known->size != file.size);
}

/// Whether nothing is to be fetched. Throws a data Error where that would replace files of the user's own.
bool is_complete(const DatasetEntry& entry, const fs::path& data_dir) {
  DatasetRecord record;
  try {
    record = verify_dataset(entry, data_dir);
  } catch (const Error&) {
    return false;  // missing or damaged: what fetching is for
  }
  for (const DataFileRecord& file : record.files) {
    if (!is_users_own(file, entry.files)) continue;
    throw Error(ErrorKind::kData,
                "{}: is not the official file of {} and is left as it is; move it away, or choose another "
                "folder with --data-dir",
                (data_dir / entry.folder / file.name).string(), entry.name);
  }
  return is_official(record);
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
  if (is_complete(entry, data_dir)) return;
  const FileDescriptor lock = locked_folder(folder);
  if (is_complete(entry, data_dir)) return;  // another process was faster
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
  throw Error(ErrorKind::kData,  // so that synthetic data can stand in
              "neither GPUBENCH_DATA_DIR nor HOME is set; say where data is with --data-dir");
}

}  // namespace gpubench
