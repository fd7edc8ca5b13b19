#include "data/fetch/raw_file.h"

#include <algorithm>
#include <system_error>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/digest.h"
#include "gpubench/core/io/outside_file.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {

namespace fs = std::filesystem;

void RawFile::reject(const std::string& what) const {
  throw Error(ErrorKind::kData, "{} {}", path.string(), what);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

RawFile read_raw_file(const fs::path& path, Bytes limit) {
  RawFile file{path, {}};
  const Measured<OutsideFile> outside = open_outside_file(path, limit);
  if (!outside.has_value()) file.reject(outside.reason());
  const std::int64_t size = outside.value().size.value;
  if (size == 0) file.reject("is empty");
  file.bytes.resize(static_cast<std::size_t>(size));
  if (!read_all(outside.value().file.get(), file.bytes)) {
    file.reject("cannot be read to its end, {} bytes", with_separators(size));
  }
  return file;
}

HostArray targets_from(std::span<const std::byte> labels, std::int64_t classes, const RawFile& file) {
  std::vector<std::int64_t> targets;
  for (const std::byte byte : labels) {
    const auto label = std::to_integer<std::int64_t>(byte);
    if (label >= classes) {
      file.reject("has label {} at sample {}, where labels are 0 to {}", label,
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
  if (unofficial.size() == dataset.record.files.size() && !unofficial.empty()) {
    notes.emplace_back("not the official files");
  } else if (!unofficial.empty()) {
    notes.push_back("not official: " + join(unofficial));
  }
  return join(notes, "; ");
}

}  // namespace gpubench
