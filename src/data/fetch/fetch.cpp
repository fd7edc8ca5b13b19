#include "data/fetch/fetch.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

#include <archive.h>
#include <archive_entry.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

/// Returns true if nothing is left to fetch. Throws a data Error if fetching would replace the user's files.
bool is_complete(const DatasetEntry& entry, const fs::path& data_dir) {
  DatasetRecord record;
  try {
    record = load_dataset(entry, entry.spec, data_dir, /*is_offline=*/false).record;
  } catch (const Error&) {
    return false;  // Missing or damaged files are fetched.
  }
  for (const DataFileRecord& file : record.files) {
    // A readable file with another size than the official one is the user's, such as a subset.
    const auto known = std::ranges::find(entry.files, file.name, &RemoteFile::name);
    const bool has_size = known != entry.files.end() && known->size == file.size;
    if (file.provenance == "official" || has_size) continue;
    throw Error(ErrorKind::kData,
                "{}: not the official file of {}, not replaced; move it away, or choose another folder with "
                "--data-dir",
                (dataset_folder(entry, data_dir) / file.name).string(), entry.name);
  }
  return is_official(record);
}

/// Lists the searched folders, and mentions an unsupported format of the dataset if present.
std::string searched_text(const DatasetEntry& entry, const fs::path& data_dir) {
  std::vector<std::string> folders{entry.folder};
  append(folders, entry.other_folders);
  std::string text =
      fmt::format(" (searched for {} in {} of {})", entry.file_names, join(folders), data_dir.string());
  for (const char* const python : {"cifar-10-batches-py", "cifar-10-python.tar.gz"}) {
    const bool is_present = file_exists(data_dir / python) || file_exists(data_dir / "cifar10" / python);
    if (!entry.folder.starts_with("cifar") || !is_present) continue;
    return text + fmt::format("; {} is the Python version, but gpubench reads the binary version", python);
  }
  return text;
}

[[noreturn]] void fail_to_write(const fs::path& path, int error) {
  throw Error(ErrorKind::kData, "cannot write {}: {}; free some space", path.string(),
              std::generic_category().message(error));
}

/// Sequential reader of a zip or compressed tar archive.
class ArchiveReader {
 public:
  explicit ArchiveReader(fs::path path)
      : path_(std::move(path)), archive_(archive_read_new(), archive_read_free) {
    archive_read_support_filter_gzip(archive_.get());
    archive_read_support_format_tar(archive_.get());
    archive_read_support_format_zip(archive_.get());
    check(archive_read_open_filename(archive_.get(), path_.c_str(), kBlockSize));
  }

  /// Returns the next regular file, or nullptr at the end.
  archive_entry* next() {
    archive_entry* entry = nullptr;
    while (check(archive_read_next_header(archive_.get(), &entry)) != ARCHIVE_EOF) {
      if (archive_entry_filetype(entry) == AE_IFREG) return entry;
    }
    return nullptr;
  }

  void unpack_to(const fs::path& path, Bytes limit) const {
    std::error_code failure;
    fs::create_directories(path.parent_path(), failure);
    const fs::path draft = path.string() + ".part";
    constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const FileDescriptor file(open(draft.c_str(), kFlags, 0644));
    if (!file.is_open()) fail_to_write(draft, errno);
    std::vector<std::byte> block(kBlockSize);
    Bytes written;
    while (const la_ssize_t size = archive_read_data(archive_.get(), block.data(), block.size())) {
      if (size < 0) fail();
      written = written + Bytes{size};
      if (written > limit) fail("it contains a file that is too large");
      if (!write_all(file.get(), std::span(block).first(static_cast<std::size_t>(size))))
        fail_to_write(draft, errno);
    }
    fs::rename(draft, path, failure);
    if (failure) fail_to_write(path, failure.value());
  }

  /// Uses libarchive's message unless `why` is given.
  [[noreturn]] void fail(const std::string& why = "") const {
    const char* const words = why.empty() ? archive_error_string(archive_.get()) : why.c_str();
    throw Error(ErrorKind::kData, "cannot unpack {}: {}; remove it and fetch it again", path_.string(),
                words != nullptr ? words : "it is damaged");
  }

 private:
  static constexpr std::size_t kBlockSize = 65'536;

  int check(int status) const {
    if (status < ARCHIVE_WARN) fail();
    return status;
  }

  fs::path path_;
  std::unique_ptr<archive, decltype(&archive_read_free)> archive_;
};

}  // namespace

void fetch_dataset(const DatasetEntry& entry, const fs::path& data_dir, const DownloadProgress& progress) {
  if (entry.files.empty()) {  // The user provides the files.
    const fs::path folder = dataset_folder(entry, data_dir);
    if (entry.is_present(folder)) return;
    throw Error(ErrorKind::kData, "{}: cannot be downloaded ({}); put files into {}", entry.name,
                entry.summary, folder.string());
  }
  if (is_complete(entry, data_dir)) return;
  const fs::path target = data_dir / entry.folder;
  const FileDescriptor lock = locked_folder(target);
  if (is_complete(entry, data_dir)) return;  // Another process has fetched it.
  std::string base = read_variable("GPUBENCH_BASE_URL");
  if (base.empty()) base = entry.base_url;
  while (base.ends_with('/')) base.pop_back();
  for (const RemoteFile& file : entry.files) {
    if (is_intact(target / file.name, file)) continue;
    download(file, base + "/" + file.name, target / file.name, progress);
  }
  if (entry.members.empty()) return;
  const auto is_wanted = [&](const std::string& path) {
    return path.starts_with(entry.folder + "/") &&
           std::ranges::count(entry.members, path.substr(entry.folder.size() + 1)) > 0;
  };
  std::error_code ignored;
  for (const RemoteFile& archive : entry.files) {
    unpack_archive(target / archive.name, data_dir, is_wanted, entry.largest_member);
    fs::remove(target / archive.name, ignored);
  }
}

fs::path dataset_folder(const DatasetEntry& entry, const fs::path& data_dir) {
  for (const std::string& folder : entry.other_folders) {
    if (!entry.is_present(data_dir / entry.folder) && entry.is_present(data_dir / folder))
      return data_dir / folder;
  }
  return data_dir / entry.folder;
}

Dataset load_dataset(const DatasetEntry& entry, const DataSpec& spec, const fs::path& data_dir,
                     bool is_offline) {
  const fs::path folder = dataset_folder(entry, data_dir);
  try {
    return entry.load(folder, spec);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData || entry.files.empty()) throw;
    const std::string searched = entry.is_present(folder) ? "" : searched_text(entry, data_dir);
    const std::string remedy =
        is_offline ? "copy its files there" : "run 'gpubench data fetch " + entry.name + "'";
    throw Error(ErrorKind::kData, "{}{}; {}", error.what(), searched, remedy);
  }
}

fs::path data_directory(const std::string& option) {
  if (!option.empty()) return option;
  if (const std::string folder = read_variable("GPUBENCH_DATA_DIR"); !folder.empty()) return folder;
  if (const fs::path cache = cache_folder(); !cache.empty()) return cache / "data";
  throw Error(ErrorKind::kData,  // A data Error lets --dataset auto fall back to synthetic data.
              "neither GPUBENCH_DATA_DIR nor HOME is set; set the data folder with --data-dir");
}

void unpack_archive(const fs::path& archive, const fs::path& folder,
                    const std::function<bool(const std::string& path)>& is_wanted, Bytes limit) {
  ArchiveReader reader(archive);
  while (archive_entry* entry = reader.next()) {
    const char* const name = archive_entry_pathname(entry);
    if (name == nullptr || !is_wanted(name)) continue;
    const fs::path member = name;
    const bool leads_up = std::ranges::find(member, fs::path("..")) != member.end();
    if (member.is_absolute() || leads_up) reader.fail("it contains a path outside of its folder");
    reader.unpack_to(folder / member, limit);
  }
}

void RawFile::reject(const std::string& what) const {
  throw Error(ErrorKind::kData, "{} {}", path.string(), what);
}

bool file_exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

RawFile read_raw_file(const fs::path& path, Bytes limit) {
  RawFile file{path, {}};
  const Measured<UntrustedFile> outside = open_untrusted_file(path, limit);
  if (!outside.has_value()) file.reject(outside.reason());
  const std::int64_t size = outside.value().size.value;
  if (size == 0) file.reject("is empty");
  file.bytes.resize(static_cast<std::size_t>(size));
  if (!read_all(outside.value().file.get(), file.bytes)) {
    file.reject("cannot be read completely ({} bytes)", with_separators(size));
  }
  return file;
}

HostArray targets_from(std::span<const std::byte> labels, std::int64_t classes, const RawFile& file) {
  std::vector<std::int64_t> targets;
  for (const std::byte byte : labels) {
    const auto label = std::to_integer<std::int64_t>(byte);
    if (label >= classes) {
      file.reject("has label {} at sample {}, but labels are 0 to {}", label,
                  with_separators(std::ssize(targets)), classes - 1);
    }
    targets.push_back(label);
  }
  return {ElementType::kInt64, {std::ssize(targets)}, to_bytes(targets)};
}

DataFileRecord describe_file(const RawFile& file, std::span<const RemoteFile> official) {
  const bool is_official = std::ranges::count(official, md5(file.bytes), &RemoteFile::checksum) > 0;
  return {file.name(), Bytes{std::ssize(file.bytes)}, sha256(file.bytes), is_official ? "official" : "other"};
}

bool is_official(const DatasetRecord& record) {
  return std::ranges::count(record.files, "official", &DataFileRecord::provenance) ==
         std::ssize(record.files);
}

std::string provenance_note(const Dataset& dataset, const SplitSizes& official) {
  std::vector<std::string> notes;
  const auto add_count = [&](std::int64_t count, std::int64_t whole, const char* what) {
    if (count == whole) return;
    notes.push_back(fmt::format("{} of {} {} samples", with_separators(count), with_separators(whole), what));
  };
  add_count(dataset.train.size() + dataset.validation.size(), official.train + official.validation,
            "training");
  add_count(dataset.test.size(), official.test, "test");
  std::vector<std::string> unofficial;
  for (const DataFileRecord& file : dataset.record.files) {
    if (file.provenance != "official") unofficial.push_back(file.name);
  }
  if (!unofficial.empty()) {
    const bool is_all = unofficial.size() == dataset.record.files.size();
    notes.push_back(is_all ? "not the official files" : "not official: " + join(unofficial));
  }
  return join(notes, "; ");
}

}  // namespace gpubench
