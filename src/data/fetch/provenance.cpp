#include "data/fetch/provenance.h"

#include <algorithm>

#include <fmt/format.h>

#include "gpubench/core/io/digest.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

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
