#include "data/decode/idx.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <utility>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

/// Returns the content of the file, of which gzip is unpacked: `most` bytes of it if there are more.
std::vector<std::byte> unpacked(const RawFile& file, std::size_t most) {
  const bool is_gzip =
      file.bytes.size() >= 2 && file.bytes[0] == std::byte{0x1f} && file.bytes[1] == std::byte{0x8b};
  if (!is_gzip) {
    const auto plain = std::span(file.bytes).first(std::min(most, file.bytes.size()));
    return {plain.begin(), plain.end()};
  }
  constexpr int kGzipOnly = MAX_WBITS + 16;  // zlib's code for gzip's header and checksum, and nothing else
  std::vector<std::byte> content(most);
  z_stream stream{};
  // zlib reads through a pointer to mutable bytes that it does not change.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(file.bytes.data()));
  stream.avail_in = static_cast<uInt>(file.bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(content.data());
  stream.avail_out = static_cast<uInt>(most);
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> cleanup(&stream, inflateEnd);
  int status = Z_OK;
  while (status == Z_OK && stream.avail_out > 0) {
    status = inflate(&stream, Z_NO_FLUSH);
    // gzip files may be joined end to end.
    if (status == Z_STREAM_END && stream.avail_in > 0) status = inflateReset(&stream);
  }
  if (status == Z_BUF_ERROR) file.reject("is truncated (its gzip checksum is missing)");
  if (status != Z_OK && status != Z_STREAM_END)
    file.reject("is corrupt (gzip: {})", stream.msg != nullptr ? stream.msg : "bad data");
  content.resize(most - stream.avail_out);
  return content;
}

struct Samples {
  std::int64_t count;
  std::vector<std::byte> bytes;
};

Samples read_samples(const RawFile& file, const std::vector<std::int64_t>& shape, std::int64_t max_count) {
  const std::size_t header_size = 4 * (2 + shape.size());
  const std::int64_t sample_size =
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  Samples samples{0, unpacked(file, header_size + static_cast<std::size_t>(max_count * sample_size) + 1)};
  if (samples.bytes.size() < header_size) file.reject("is truncated (it ends within its header)");
  const auto number_at = [&](std::size_t position) {
    std::uint32_t number = 0;
    for (const std::byte digit : std::span(samples.bytes).subspan(4 * position, 4)) {
      number = number << 8 | std::to_integer<std::uint32_t>(digit);
    }
    return number;
  };
  // Two zero bytes, the code of unsigned bytes, the number of dimensions.
  const auto magic = static_cast<std::uint32_t>(0x0801 + shape.size());
  if (number_at(0) != magic)
    file.reject("has the wrong magic number (0x{:08x}, not 0x{:08x})", number_at(0), magic);
  samples.count = number_at(1);
  if (samples.count == 0) file.reject("holds no samples");
  if (samples.count > max_count) {
    file.reject("claims {} samples, of which there are at most {}", with_separators(samples.count),
                with_separators(max_count));
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t extent = number_at(2 + i);
    if (extent != shape[i]) file.reject("has a side of {}, not {}", with_separators(extent), shape[i]);
  }
  const std::int64_t size = std::ssize(samples.bytes);
  const std::int64_t expected = static_cast<std::int64_t>(header_size) + samples.count * sample_size;
  if (size < expected)
    file.reject("is truncated ({} of {} bytes)", with_separators(size), with_separators(expected));
  if (size > expected) file.reject("has bytes after its last sample");
  samples.bytes.erase(samples.bytes.begin(),
                      samples.bytes.begin() + static_cast<std::ptrdiff_t>(header_size));
  samples.bytes.shrink_to_fit();
  return samples;
}

constexpr std::int64_t kSide = 28;
constexpr std::int64_t kTrainingCount = 60'000;
constexpr std::int64_t kTestCount = 10'000;
constexpr std::int64_t kValidationShare = 6;
constexpr std::int64_t kClasses = 10;

// The files in the order of IdxSource; their names as published end in .gz.
const std::array<std::string, 4> kStems = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                           "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

DataSpec spec() { return {Task::kClassification, {1, kSide, kSide}, kClasses}; }

SplitSizes sizes() {
  constexpr std::int64_t kValidationCount = kTrainingCount / kValidationShare;
  return {kTrainingCount - kValidationCount, kValidationCount, kTestCount};
}

/// Returns "train-images.idx3-ubyte", as Kaggle and others name it.
std::string dotted(const std::string& stem) {
  const std::size_t dash = stem.rfind("-idx");
  return stem.substr(0, dash) + "." + stem.substr(dash + 1);
}

/// Finds the published, unpacked or Kaggle's name, or a folder of that name.
fs::path make_path(const fs::path& folder, const std::string& stem) {
  for (const std::string& name : {stem, dotted(stem)}) {
    for (const fs::path& path : {folder / (name + ".gz"), folder / name, folder / name / name}) {
      std::error_code ignored;
      if (is_there(path) && !fs::is_directory(path, ignored)) return path;
    }
  }
  return folder / (stem + ".gz");
}

bool is_present(const fs::path& folder) {
  return std::ranges::all_of(kStems, [&](const auto& stem) { return is_there(make_path(folder, stem)); });
}

std::vector<RemoteFile> known_files(const IdxSource& source) {
  std::vector<RemoteFile> known;
  std::vector<RemoteFile> others;
  for (std::size_t i = 0; i < kStems.size(); ++i) {
    const IdxSource::File& file = source.files[i];
    known.push_back({kStems[i] + ".gz", file.size, file.md5});
    others.push_back({kStems[i], {}, file.md5_unpacked});
    others.push_back({dotted(kStems[i]), {}, file.md5_unpacked});
    others.push_back({dotted(kStems[i]) + ".gz", file.size, file.md5});
  }
  append(known, std::move(others));
  return known;
}

Split read_split(const IdxSource& source, const fs::path& folder, std::size_t position,
                 std::int64_t max_count, DatasetRecord& record) {
  const auto read = [&](const std::string& stem, std::int64_t content) {
    // A gzip header may carry a name and a comment; data that does not compress grows by less than an eighth.
    constexpr std::int64_t kHeaders = 65'536;
    return read_raw_file(make_path(folder, stem), Bytes{content + content / 8 + kHeaders});
  };
  const RawFile images = read(kStems[position], max_count * kSide * kSide);
  const RawFile labels = read(kStems[position + 1], max_count);
  Split split{read_idx_images(images, max_count), read_idx_labels(labels, max_count)};
  if (split.targets.shape.front() != split.size()) {
    labels.reject("holds {} labels for the {} images of {}", with_separators(split.targets.shape.front()),
                  with_separators(split.size()), images.name());
  }
  for (const RawFile* const file : {&images, &labels}) {
    record.files.push_back(describe_file(*file, known_files(source)));
  }
  return split;
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

Dataset load(const IdxSource& source, const fs::path& folder) {
  Dataset dataset;
  dataset.spec = spec();
  dataset.record.name = source.name;
  dataset.train = read_split(source, folder, 0, kTrainingCount, dataset.record);
  dataset.test = read_split(source, folder, 2, kTestCount, dataset.record);
  const std::int64_t train_count = dataset.train.size() - dataset.train.size() / kValidationShare;
  dataset.validation = {cut_tail(dataset.train.inputs, train_count),
                        cut_tail(dataset.train.targets, train_count)};
  dataset.record.note = provenance_note(dataset, sizes());
  return dataset;
}

}  // namespace

HostArray read_idx_images(const RawFile& file, std::int64_t max_count) {
  Samples images = read_samples(file, {kSide, kSide}, max_count);
  return {ElementType::kUint8, {images.count, 1, kSide, kSide}, std::move(images.bytes)};
}

HostArray read_idx_labels(const RawFile& file, std::int64_t max_count) {
  return targets_from(read_samples(file, {}, max_count).bytes, kClasses, file);
}

DatasetEntry idx_entry(const IdxSource& source) {
  DatasetEntry entry;
  entry.name = source.name;
  entry.summary = source.summary;
  entry.spec = spec();
  entry.sizes = sizes();
  entry.folder = source.name;
  entry.other_folders = source.other_folders;
  entry.file_names =
      "train-images-idx3-ubyte or train-images.idx3-ubyte, with or without .gz, and three more";
  entry.base_url = source.base_url;
  entry.files = known_files(source);
  entry.files.resize(kStems.size());  // The published ones.
  entry.is_present = is_present;
  entry.load = [source](const fs::path& folder) { return load(source, folder); };
  return entry;
}

}  // namespace gpubench
