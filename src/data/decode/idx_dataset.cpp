#include "data/decode/idx_dataset.h"

#include <algorithm>
#include <array>
#include <future>

#include <fmt/format.h>

#include "data/decode/idx.h"
#include "data/fetch/provenance.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSide = 28;
constexpr std::int64_t kTrainingCount = 60'000;
constexpr std::int64_t kTestCount = 10'000;
constexpr std::int64_t kValidationShare = 6;

// Stems of the file names; the published files end in .gz.
const char* const kTrainingImages = "train-images-idx3-ubyte";
const char* const kTrainingLabels = "train-labels-idx1-ubyte";
const char* const kTestImages = "t10k-images-idx3-ubyte";
const char* const kTestLabels = "t10k-labels-idx1-ubyte";

DataSpec spec() { return {Task::kClassification, {1, kSide, kSide}, 10}; }

SplitSizes sizes() {
  constexpr std::int64_t kValidationCount = kTrainingCount / kValidationShare;
  return {kTrainingCount - kValidationCount, kValidationCount, kTestCount};
}

fs::path packed(const fs::path& folder, const std::string& stem) { return folder / (stem + ".gz"); }

bool is_present(const fs::path& folder) {
  const std::array stems = {kTrainingImages, kTrainingLabels, kTestImages, kTestLabels};
  return std::ranges::all_of(
      stems, [&](const char* stem) { return is_there(packed(folder, stem)) || is_there(folder / stem); });
}

std::vector<RemoteFile> known_files(const IdxSource& source) {
  std::vector<RemoteFile> known = source.published;
  known.insert(known.end(), source.unpacked.begin(), source.unpacked.end());
  return known;
}

/// Reads the files of one dataset and keeps a record of them.
class Reader {
 public:
  Reader(const IdxSource& source, const fs::path& folder) : source_(source), folder_(folder) {
    record_.name = source.name;
  }

  const DatasetRecord& record() const { return record_; }

  Split read_split(const char* images_stem, const char* labels_stem, std::int64_t max_count) {
    const RawFile images = read_file(images_stem, Bytes{max_count * kSide * kSide});
    const RawFile labels = read_file(labels_stem, Bytes{max_count});
    // Checksums take a third as long as unpacking: meanwhile.
    auto described = std::async(std::launch::async, [&] {
      return std::array{describe_file(images, known_files(source_)),
                        describe_file(labels, known_files(source_))};
    });
    Split split{read_idx_images(images, kSide, kSide, max_count),
                read_idx_labels(labels, spec().classes, max_count)};
    if (split.targets.shape.front() != split.size()) {
      labels.reject(fmt::format("holds {} labels for the {} images of {}",
                                with_separators(split.targets.shape.front()), with_separators(split.size()),
                                images.name()));
    }
    for (DataFileRecord& file : described.get()) record_.files.push_back(std::move(file));
    return split;
  }

 private:
  RawFile read_file(const std::string& stem, Bytes content) const {
    const bool is_unpacked = !is_there(packed(folder_, stem)) && is_there(folder_ / stem);
    return read_raw_file(is_unpacked ? folder_ / stem : packed(folder_, stem), source_.name,
                         idx_size_limit(content));
  }

  const IdxSource& source_;
  const fs::path& folder_;
  DatasetRecord record_;
};

/// Cuts the samples from `first` on off `array` and returns them.
HostArray cut_tail(HostArray& array, std::int64_t first) {
  const auto sample_bytes = static_cast<std::int64_t>(array.bytes.size()) / array.shape.front();
  const auto begin = array.bytes.begin() + first * sample_bytes;
  HostArray tail{array.type, array.shape, {begin, array.bytes.end()}};
  tail.shape.front() -= first;
  array.bytes.erase(begin, array.bytes.end());
  array.shape.front() = first;
  return tail;
}

}  // namespace

Dataset load_idx_dataset(const IdxSource& source, const fs::path& folder) {
  Reader reader(source, folder);
  Dataset dataset;
  dataset.spec = spec();
  dataset.train = reader.read_split(kTrainingImages, kTrainingLabels, kTrainingCount);
  dataset.test = reader.read_split(kTestImages, kTestLabels, kTestCount);
  const std::int64_t train_count = dataset.train.size() - dataset.train.size() / kValidationShare;
  dataset.validation = {cut_tail(dataset.train.inputs, train_count),
                        cut_tail(dataset.train.targets, train_count)};
  dataset.record = reader.record();
  dataset.record.note = provenance_note(dataset, sizes());
  return dataset;
}

DatasetEntry idx_entry(const IdxSource& source, Dataset (*load)(const fs::path& folder)) {
  DatasetEntry entry;
  entry.name = source.name;
  entry.spec = spec();
  entry.sizes = sizes();
  entry.folder = source.name;
  entry.base_url = source.base_url;
  entry.files = source.published;
  entry.is_present = is_present;
  entry.load = load;
  entry.unpack = nullptr;
  return entry;
}

}  // namespace gpubench
