// Fashion-MNIST (Xiao, Rasul, Vollgraf 2017): four IDX files, compressed as published or unpacked.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "data/entries.h"
#include "data/idx.h"
#include "data/provenance.h"
#include "gpubench/core/text_table.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

const char* const kName = "fashion-mnist";
constexpr std::int64_t kSide = 28;
constexpr std::int64_t kTrainingCount = 60'000;
constexpr std::int64_t kTestCount = 10'000;

// Stems of the file names; the published files end in .gz.
const char* const kTrainingImages = "train-images-idx3-ubyte";
const char* const kTrainingLabels = "train-labels-idx1-ubyte";
const char* const kTestImages = "t10k-images-idx3-ubyte";
const char* const kTestLabels = "t10k-labels-idx1-ubyte";

DataSpec spec() { return {Task::kClassification, {1, kSide, kSide}, 10}; }

SplitSizes sizes() { return {50'000, 10'000, kTestCount}; }

std::vector<RemoteFile> published_files() {
  return {
      {"train-images-idx3-ubyte.gz", Bytes{26'421'880}, "8d4fb7e6c68d591d4c3dfef9ec88bf0d"},
      {"train-labels-idx1-ubyte.gz", Bytes{29'515}, "25c81989df183df01b3e8a0aad5dffbe"},
      {"t10k-images-idx3-ubyte.gz", Bytes{4'422'102}, "bef4ecab320f06d8554ea6380940ec79"},
      {"t10k-labels-idx1-ubyte.gz", Bytes{5'148}, "bb300cfdad3c16e7a12a480ee83cd310"},
  };
}

/// The published files and, computed from them, what they unpack to.
std::vector<RemoteFile> known_files() {
  std::vector<RemoteFile> known = published_files();
  known.push_back({kTrainingImages, Bytes{47'040'016}, "f4a8712d7a061bf5bd6d2ca38dc4d50a"});
  known.push_back({kTrainingLabels, Bytes{60'008}, "9018921c3c673c538a1fc5bad174d6f9"});
  known.push_back({kTestImages, Bytes{7'840'016}, "8181f5470baa50b63fa0f6fddb340f0a"});
  known.push_back({kTestLabels, Bytes{10'008}, "15d484375f8d13e6eb1aabb0c3f46965"});
  return known;
}

fs::path packed(const fs::path& folder, const std::string& stem) { return folder / (stem + ".gz"); }

RawFile read_file(const fs::path& folder, const std::string& stem, Bytes content) {
  const bool is_unpacked = !is_there(packed(folder, stem)) && is_there(folder / stem);
  return read_raw_file(is_unpacked ? folder / stem : packed(folder, stem), kName, idx_size_limit(content));
}

/// Reads a pair of files and adds them to `record`.
Split read_split(const fs::path& folder, const std::string& images_stem, const std::string& labels_stem,
                 std::int64_t max_count, DatasetRecord& record) {
  const RawFile images = read_file(folder, images_stem, Bytes{max_count * kSide * kSide});
  const RawFile labels = read_file(folder, labels_stem, Bytes{max_count});
  Split split{read_idx_images(images, kSide, kSide, max_count),
              read_idx_labels(labels, spec().classes, max_count)};
  if (split.targets.shape.front() != split.size()) {
    labels.reject(fmt::format("holds {} labels for the {} images of {}",
                              with_separators(split.targets.shape.front()), with_separators(split.size()),
                              images.name()));
  }
  for (const RawFile* file : {&images, &labels}) {
    record.files.push_back(describe_file(*file, known_files()));
  }
  return split;
}

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

bool is_present(const fs::path& folder) {
  const std::array stems = {kTrainingImages, kTrainingLabels, kTestImages, kTestLabels};
  return std::ranges::all_of(
      stems, [&](const char* stem) { return is_there(packed(folder, stem)) || is_there(folder / stem); });
}

Dataset load(const fs::path& folder) {
  Dataset dataset;
  dataset.spec = spec();
  dataset.record.name = kName;
  dataset.train = read_split(folder, kTrainingImages, kTrainingLabels, kTrainingCount, dataset.record);
  dataset.test = read_split(folder, kTestImages, kTestLabels, kTestCount, dataset.record);
  // The last sixth validates: 10,000 of the official 60,000.
  const std::int64_t train_count = dataset.train.size() - dataset.train.size() / 6;
  dataset.validation = {cut_tail(dataset.train.inputs, train_count),
                        cut_tail(dataset.train.targets, train_count)};
  dataset.record.note = provenance_note(dataset, sizes());
  return dataset;
}

}  // namespace

DatasetEntry entry_fashion_mnist() {
  DatasetEntry entry;
  entry.name = kName;
  entry.summary = "60,000 + 10,000 grey images of clothes, 28x28, 10 classes";
  entry.spec = spec();
  entry.sizes = sizes();
  entry.folder = kName;
  entry.base_url = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com";
  entry.files = published_files();
  entry.is_present = is_present;
  entry.load = load;
  entry.unpack = nullptr;
  return entry;
}

}  // namespace gpubench
