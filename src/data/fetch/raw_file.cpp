#include "data/fetch/raw_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/core/io/digest.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

/// Size of a file that is fit to be read. Looked at before opening: opening a FIFO would block.
std::int64_t checked_size(const RawFile& file, Bytes limit) {
  std::error_code failure;
  const fs::file_status status = fs::status(file.path, failure);
  if (status.type() == fs::file_type::not_found) file.reject("is missing");
  if (failure) file.reject("cannot be read: " + failure.message());
  if (status.type() == fs::file_type::directory) file.reject("is a directory, not a file");
  if (status.type() != fs::file_type::regular) file.reject("is not a regular file");

  const auto size = static_cast<std::int64_t>(fs::file_size(file.path, failure));
  if (failure) file.reject("cannot be read: " + failure.message());
  if (size == 0) file.reject("is empty");
  if (size > limit.value) {
    file.reject(fmt::format("is too large ({} bytes, at most {} expected)", with_separators(size),
                            with_separators(limit.value)));
  }
  return size;
}

bool is_official_file(const DataFileRecord& file) { return file.provenance == "official"; }

std::string provenance_of(const RawFile& file, std::span<const RemoteFile> official) {
  const auto known = std::ranges::find(official, file.name(), &RemoteFile::name);
  if (known == official.end()) return "unverified";
  return md5(file.bytes) == known->md5 ? "official" : "other";
}

DataFileRecord describe(const RawFile& file, const std::string& provenance) {
  return {file.name(), Bytes{std::ssize(file.bytes)}, sha256(file.bytes), provenance};
}

void add_count(std::vector<std::string>& notes, std::int64_t count, std::int64_t official, const char* what) {
  if (count == official) return;
  notes.push_back(
      fmt::format("{} of {} {} samples", with_separators(count), with_separators(official), what));
}

std::string unofficial_files(const std::vector<DataFileRecord>& files) {
  std::vector<std::string> names;
  for (const DataFileRecord& file : files) {
    if (!is_official_file(file)) names.push_back(file.name);
  }
  return names.size() == files.size() ? "not the official files" : "not official: " + join(names);
}

}  // namespace

void RawFile::reject(const std::string& what) const {
  throw Error(ErrorKind::kData, "{} {}; run 'gpubench data fetch {}'", path.string(), what, dataset);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

RawFile read_raw_file(const fs::path& path, const std::string& dataset, Bytes limit) {
  RawFile file{path, dataset, {}};
  const std::int64_t size = checked_size(file, limit);
  std::ifstream in(path, std::ios::binary);
  if (!in) file.reject("cannot be read: " + std::generic_category().message(errno));
  file.bytes.resize(static_cast<std::size_t>(size));
  if (!in.read(reinterpret_cast<char*>(file.bytes.data()), size)) {
    file.reject(fmt::format("cannot be read beyond {} of {} bytes", with_separators(in.gcount()),
                            with_separators(size)));
  }
  return file;
}

HostArray targets_from(std::span<const std::byte> labels, std::int64_t classes, const RawFile& file) {
  HostArray targets{ElementType::kInt64, {static_cast<std::int64_t>(labels.size())}, {}};
  targets.bytes.resize(labels.size() * sizeof(std::int64_t));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto label = std::to_integer<std::int64_t>(labels[i]);
    if (label >= classes) {
      file.reject(fmt::format("has label {} at sample {}, where labels are 0 to {}", label,
                              with_separators(static_cast<std::int64_t>(i)), classes - 1));
    }
    std::memcpy(targets.bytes.data() + i * sizeof label, &label, sizeof label);
  }
  return targets;
}

DataFileRecord describe_file(const RawFile& file, std::span<const RemoteFile> official) {
  return describe(file, provenance_of(file, official));
}

DataFileRecord describe_file(const RawFile& file, bool is_official) {
  return describe(file, is_official ? "official" : "other");
}

bool is_official(const DatasetRecord& record) { return std::ranges::all_of(record.files, is_official_file); }

std::string provenance_note(const Dataset& dataset, const SplitSizes& official) {
  std::vector<std::string> notes;
  add_count(notes, dataset.train.size() + dataset.validation.size(), official.train + official.validation,
            "training");
  add_count(notes, dataset.test.size(), official.test, "test");
  if (!is_official(dataset.record)) notes.push_back(unofficial_files(dataset.record.files));
  return join(notes, "; ");
}

}  // namespace gpubench
