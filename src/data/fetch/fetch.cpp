#include <fmt/format.h>

#include "data/fetch/download.h"
#include "data/fetch/folder_lock.h"
#include "data/fetch/provenance.h"
#include "gpubench/core/error.h"
#include "gpubench/dataset.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

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
  throw Error(ErrorKind::kData, fmt::format("{} cannot be downloaded: it is {}; put them into {}", entry.name,
                                            entry.summary, folder.string()));
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

}  // namespace gpubench
