// CIFAR-10 (Krizhevsky 2009), binary version: records of one label and 3,072 bytes of red, green and blue.

#include <algorithm>
#include <array>

#include "data/fetch/fetch.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/dataset.h"

namespace gpubench::cifar10_plugin {
namespace {

namespace fs = std::filesystem;

const char* const kName = "cifar10";
const char* const kFolder = "cifar-10-batches-bin";
constexpr std::int64_t kImageBytes = 3 * 32 * 32;
constexpr std::int64_t kRecordBytes = 1 + kImageBytes;
constexpr std::int64_t kMaxRecords = 10'000;  // Per file.
constexpr Bytes kMaxFileSize{kMaxRecords * kRecordBytes};
constexpr std::size_t kTrainingFiles = 5;

DataSpec spec(std::int64_t side = 32) { return {Task::kClassification, {3, side, side}, 10}; }

SplitSizes sizes() { return {50'000, 0, 10'000}; }

/// Lists the training files in order, then the test file. The publisher only gives the archive's checksum;
/// these are from pytorch-cpp and the Go package dldataset, which agree.
std::vector<RemoteFile> known_files() {
  return {
      {"data_batch_1.bin", kMaxFileSize, "5dd7e06a14cb22eb9f671a540d1b7c25"},
      {"data_batch_2.bin", kMaxFileSize, "5ea93a67294ea407fff1d09f752e9692"},
      {"data_batch_3.bin", kMaxFileSize, "942cd6a4bcdd0dd3c604fbe906cb4421"},
      {"data_batch_4.bin", kMaxFileSize, "ae636b3ba5c66a11e91e8cb52e771fcb"},
      {"data_batch_5.bin", kMaxFileSize, "53f37980c15c3d472c316c40844f3f0d"},
      {"test_batch.bin", kMaxFileSize, "803d5f7f4d78ea53de84dbe85f74fb6d"},
  };
}

void append_records(Split& split, const RawFile& file) {
  std::vector<std::byte> labels;
  for (auto record = file.bytes.begin(); record != file.bytes.end(); record += kRecordBytes) {
    labels.push_back(*record);
    append(split.inputs.bytes, std::span(record + 1, kImageBytes));
  }
  const HostArray targets = targets_from(labels, spec().classes, file);
  append(split.targets.bytes, targets.bytes);
  split.targets.shape.front() += targets.shape.front();
  split.inputs.shape.front() += targets.shape.front();
}

bool is_present(const fs::path& folder) {
  return std::ranges::all_of(known_files(),
                             [&](const RemoteFile& file) { return file_exists(folder / file.name); });
}

Dataset load(const fs::path& folder) {
  const Split none{{ElementType::kUint8, {0, 3, 32, 32}, {}}, {ElementType::kInt64, {0}, {}}};
  Dataset dataset{spec(), none, {}, none, {}};
  dataset.record.name = kName;
  for (const RemoteFile& known : known_files()) {
    const RawFile file = read_raw_file(folder / known.name, kMaxFileSize);
    if (std::ssize(file.bytes) % kRecordBytes != 0) {
      file.reject("is truncated or damaged ({} bytes, not a multiple of the record size, {})",
                  with_separators(std::ssize(file.bytes)), with_separators(kRecordBytes));
    }
    // Usually, all training files have the same size.
    if (dataset.record.files.empty()) dataset.train.inputs.bytes.reserve(kTrainingFiles * file.bytes.size());
    append_records(dataset.record.files.size() < kTrainingFiles ? dataset.train : dataset.test, file);
    dataset.record.files.push_back(describe_file(file, known_files()));
  }
  dataset.record.note = provenance_note(dataset, sizes());
  return dataset;
}

// The images enlarged to 64x64, for networks that need larger inputs.
const char* const kEnlargedName = "cifar10-64";
constexpr std::size_t kSide = 32;
constexpr std::size_t kNewSide = 2 * kSide;

/// Doubles the size of the images by repeating pixels.
void enlarge(HostArray& images) {
  std::vector<std::byte> enlarged;
  enlarged.reserve(images.bytes.size() * 4);
  for (std::size_t row = 0; row < images.bytes.size() / kSide * 2; ++row) {
    const std::byte* const old_row = images.bytes.data() + row / 2 * kSide;
    for (std::size_t x = 0; x < kNewSide; ++x) enlarged.push_back(old_row[x / 2]);
  }
  images.shape = {images.shape.front(), 3, std::int64_t{kNewSide}, std::int64_t{kNewSide}};
  images.bytes = std::move(enlarged);
}

}  // namespace

DatasetEntry entry_cifar10() {
  std::vector<std::string> others;
  for (const std::string parent : {"cifar10", "CIFAR10", "cifar-10", "CIFAR-10", "cifar-10-binary"})
    append(others, std::array{parent + "/" + kFolder, parent});
  others.emplace_back(".");
  return {.name = kName,
          .summary = "50,000 + 10,000 colour photographs, 32x32, 10 classes",
          .spec = spec(),
          .sizes = sizes(),
          .folder = kFolder,
          .other_folders = others,
          .file_names = "data_batch_1.bin to data_batch_5.bin and test_batch.bin",
          .base_url = "https://www.cs.toronto.edu/~kriz",
          .files = {{"cifar-10-binary.tar.gz", Bytes{170'052'171}, "c32a1d4ab5d03f1284b67883e8d87530"}},
          .members = names_in(known_files()),
          .largest_member = kMaxFileSize,
          .is_present = is_present,
          .load = [](const fs::path& folder, const DataSpec&) { return load(folder); }};
}

DatasetEntry entry_cifar10_64() {
  DatasetEntry entry = entry_cifar10();
  entry.name = kEnlargedName;
  entry.summary = "cifar10 enlarged to 64x64 (737 MB in memory), 10 classes";
  entry.spec = spec(kNewSide);
  entry.load = [](const fs::path& folder, const DataSpec&) {
    Dataset dataset = load(folder);
    dataset.spec = spec(kNewSide);
    dataset.record.name = kEnlargedName;
    enlarge(dataset.train.inputs);
    enlarge(dataset.test.inputs);
    return dataset;
  };
  return entry;
}

}  // namespace gpubench::cifar10_plugin
