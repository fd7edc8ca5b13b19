// MNIST (LeCun, Cortes, Burges 1998) and Fashion-MNIST (Xiao, Rasul, Vollgraf 2017): 60,000 + 10,000 grey
// images of 28x28 in 10 classes. IDX format: a big-endian header (magic number, then one 32-bit size per
// dimension) and unsigned bytes, plain or gzip-compressed.

#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "data/fetch/fetch.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/dataset.h"

namespace gpubench::mnist_plugin {
namespace {

namespace fs = std::filesystem;

/// Returns the first `limit` bytes of the file, unpacked if it is gzip.
std::vector<std::byte> unpacked(const RawFile& file, std::size_t limit) {
  std::vector<std::byte> content(limit);
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(gzopen(file.path.c_str(), "rb"), gzclose);
  if (in == nullptr) file.reject("cannot be read");
  const int size = gzread(in.get(), content.data(), static_cast<unsigned>(limit));
  int status = Z_OK;
  gzerror(in.get(), &status);
  if (status == Z_BUF_ERROR) file.reject("is truncated (its gzip checksum is missing)");
  if (size < 0 || status != Z_OK) file.reject("is corrupt (invalid gzip data)");
  content.resize(static_cast<std::size_t>(size));
  return content;
}

std::vector<std::byte> read_samples(const RawFile& file, const std::vector<std::int64_t>& shape,
                                    std::int64_t max_count) {
  const std::size_t header_size = 4 * (2 + shape.size());
  std::int64_t sample_size = 1;
  for (const std::int64_t extent : shape) sample_size *= extent;
  std::vector<std::byte> samples =
      unpacked(file, header_size + static_cast<std::size_t>(max_count * sample_size) + 1);
  if (samples.size() < header_size) file.reject("is truncated (it ends within its header)");
  const auto number_at = [&](std::size_t position) {
    std::uint32_t number = 0;
    for (const std::byte digit : std::span(samples).subspan(4 * position, 4)) {
      number = number << 8 | std::to_integer<std::uint32_t>(digit);
    }
    return number;
  };
  // The magic number: two zero bytes, the code for unsigned bytes, the number of dimensions.
  const auto magic = static_cast<std::uint32_t>(0x0801 + shape.size());
  if (number_at(0) != magic)
    file.reject("has the wrong magic number (0x{:08x}, not 0x{:08x})", number_at(0), magic);
  const std::int64_t count = number_at(1);
  if (count == 0) file.reject("has no samples");
  if (count > max_count) {
    file.reject("declares {} samples, but the maximum is {}", with_separators(count),
                with_separators(max_count));
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t extent = number_at(2 + i);
    if (extent != shape[i]) file.reject("has images of side {}, not {}", with_separators(extent), shape[i]);
  }
  const std::int64_t size = std::ssize(samples);
  const std::int64_t expected = static_cast<std::int64_t>(header_size) + count * sample_size;
  if (size < expected)
    file.reject("is truncated ({} of {} bytes)", with_separators(size), with_separators(expected));
  if (size > expected) file.reject("has bytes after its last sample");
  samples.erase(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(header_size));
  samples.shrink_to_fit();
  return samples;
}

constexpr std::int64_t kSide = 28;
constexpr std::int64_t kTrainingCount = 60'000;
constexpr std::int64_t kTestCount = 10'000;
constexpr std::int64_t kValidationShare = 6;
constexpr std::int64_t kClasses = 10;

struct IdxFile {
  Bytes size;  ///< Compressed size, as published.
  std::string md5;
  std::string md5_unpacked;
};

/// Training images, training labels, test images, test labels.
using IdxFiles = std::array<IdxFile, 4>;

// File names without .gz, in the order of IdxFiles.
const std::array<std::string, 4> kStems = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                           "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

DataSpec spec() { return {Task::kClassification, {1, kSide, kSide}, kClasses}; }

SplitSizes sizes() {
  constexpr std::int64_t kValidationCount = kTrainingCount / kValidationShare;
  return {kTrainingCount - kValidationCount, kValidationCount, kTestCount};
}

/// Finds a file by its published, unpacked or Kaggle name, also inside a folder of that name.
fs::path make_path(const fs::path& folder, const std::string& stem) {
  std::string dotted = stem;
  dotted[stem.rfind("-idx")] = '.';  // Kaggle's form, such as "train-images.idx3-ubyte".
  for (const std::string& name : {stem, dotted}) {
    for (const fs::path& path : {folder / (name + ".gz"), folder / name, folder / name / name}) {
      std::error_code ignored;
      if (file_exists(path) && !fs::is_directory(path, ignored)) return path;
    }
  }
  return folder / (stem + ".gz");
}

bool is_present(const fs::path& folder) {
  return std::ranges::all_of(kStems, [&](const auto& stem) { return file_exists(make_path(folder, stem)); });
}

/// Lists the published files, then the checksums of the unpacked files.
std::vector<RemoteFile> list_files(const IdxFiles& files) {
  std::vector<RemoteFile> known;
  for (std::size_t i = 0; i < kStems.size(); ++i)
    known.push_back({kStems[i] + ".gz", files[i].size, files[i].md5});
  for (const IdxFile& file : files) known.push_back({"", {}, file.md5_unpacked});
  return known;
}

Split read_split(const std::vector<RemoteFile>& known, const fs::path& folder, std::size_t position,
                 std::int64_t max_count, DatasetRecord& record) {
  const auto read = [&](const std::string& stem, std::int64_t content) {
    // Allows a name and a comment in the gzip header, and incompressible data, which grows by less than 1/8.
    constexpr std::int64_t kHeaders = 65'536;
    return read_raw_file(make_path(folder, stem), Bytes{content + content / 8 + kHeaders});
  };
  const RawFile images = read(kStems[position], max_count * kSide * kSide);
  const RawFile labels = read(kStems[position + 1], max_count);
  std::vector<std::byte> pixels = read_samples(images, {kSide, kSide}, max_count);
  const std::int64_t count = std::ssize(pixels) / (kSide * kSide);
  HostArray targets = targets_from(read_samples(labels, {}, max_count), kClasses, labels);
  if (targets.shape.front() != count) {
    labels.reject("has {} labels for the {} images of {}", with_separators(targets.shape.front()),
                  with_separators(count), images.name());
  }
  for (const RawFile* const file : {&images, &labels}) record.files.push_back(describe_file(*file, known));
  return {{ElementType::kUint8, {count, 1, kSide, kSide}, std::move(pixels)}, std::move(targets)};
}

HostArray cut_tail(HostArray& array, std::int64_t first) {
  const auto sample_bytes = static_cast<std::int64_t>(array.bytes.size()) / array.shape.front();
  const auto begin = array.bytes.begin() + first * sample_bytes;
  HostArray tail{array.type, array.shape, {begin, array.bytes.end()}};
  tail.shape.front() -= first;
  array.bytes.erase(begin, array.bytes.end());
  array.shape.front() = first;
  return tail;
}

Dataset load(const std::string& name, const std::vector<RemoteFile>& known, const fs::path& folder) {
  Dataset dataset;
  dataset.spec = spec();
  dataset.record.name = name;
  dataset.train = read_split(known, folder, 0, kTrainingCount, dataset.record);
  dataset.test = read_split(known, folder, 2, kTestCount, dataset.record);
  const std::int64_t train_count = dataset.train.size() - dataset.train.size() / kValidationShare;
  dataset.validation = {cut_tail(dataset.train.inputs, train_count),
                        cut_tail(dataset.train.targets, train_count)};
  dataset.record.note = provenance_note(dataset, sizes());
  return dataset;
}

/// Uses the last sixth of the training file for validation: 10,000 of the official 60,000 samples.
DatasetEntry make_entry(const std::string& name, const std::string& summary, const std::string& base_url,
                        const std::vector<std::string>& other_folders, const IdxFiles& files) {
  const std::vector<RemoteFile> known = list_files(files);
  return {
      .name = name,
      .summary = summary,
      .spec = spec(),
      .sizes = sizes(),
      .folder = name,
      .other_folders = other_folders,
      .file_names =
          "train-images-idx3-ubyte or train-images.idx3-ubyte, with or without .gz, and three similar files",
      .base_url = base_url,
      .files = {known.begin(), known.begin() + kStems.size()},  // The published files.
      .is_present = is_present,
      .load = [=](const fs::path& folder, const DataSpec&) { return load(name, known, folder); }};
}

}  // namespace

DatasetEntry entry_fashion_mnist() {
  return make_entry(
      "fashion-mnist", "60,000 + 10,000 grey images of clothes, 28x28, 10 classes",
      "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com",
      {"FashionMNIST/raw", "FashionMNIST", "fashion-mnist/raw", "fashion_mnist", "fashionmnist"},
      {{
          {{26'421'880}, "8d4fb7e6c68d591d4c3dfef9ec88bf0d", "f4a8712d7a061bf5bd6d2ca38dc4d50a"},
          {{29'515}, "25c81989df183df01b3e8a0aad5dffbe", "9018921c3c673c538a1fc5bad174d6f9"},
          {{4'422'102}, "bef4ecab320f06d8554ea6380940ec79", "8181f5470baa50b63fa0f6fddb340f0a"},
          {{5'148}, "bb300cfdad3c16e7a12a480ee83cd310", "15d484375f8d13e6eb1aabb0c3f46965"},
      }});
}

// Uses torchvision's mirror, since the original server is often down. Checksums of the published files are
// from torchvision and MMClassification, those of the unpacked files from guildsman and secml.
DatasetEntry entry_mnist() {
  return make_entry("mnist", "60,000 + 10,000 grey images of handwritten digits, 28x28, 10 classes",
                    "https://ossci-datasets.s3.amazonaws.com/mnist",
                    {"MNIST/raw", "MNIST", "mnist/raw", "mnist-dataset"},
                    {{
                        {{9'912'422}, "f68b3c2dcbeaaa9fbdd348bbdeb94873", "6bbc9ace898e44ae57da46a324031adb"},
                        {{28'881}, "d53e105ee54ea40749a09fcbcd1e9432", "a25bea736e30d166cdddb491f175f624"},
                        {{1'648'877}, "9fb629c4189551a2d022fa330f9573f3", "2646ac647ad5339dbf082846283269ea"},
                        {{4'542}, "ec29112dd5afa0611ce80d1b7f02629c", "27ae3e4e09519cfbb04c329615203637"},
                    }});
}

}  // namespace gpubench::mnist_plugin
