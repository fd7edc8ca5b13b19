#include "data/decode/idx.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <future>
#include <memory>
#include <span>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr int kGzipOnly = MAX_WBITS + 16;  // zlib's way to say: gzip header and checksum, nothing else

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

// Two zero bytes, the code of unsigned bytes, the number of dimensions.
constexpr std::uint32_t kImagesMagic = 0x0000'0803;
constexpr std::uint32_t kLabelsMagic = 0x0000'0801;

/// Goes through an IDX file: the numbers of its header, then its samples. The file is plain or gzip, told
/// apart by its first bytes; no more of it is unpacked than is asked for, so that the reader's memory is the
/// caller's choice. Damage is rejected where it is met.
class IdxReader {
 public:
  /// `file` must outlive the reader and be smaller than 4 GiB.
  IdxReader(const RawFile& file, std::uint32_t expected_magic) : file_(file), rest_(file.bytes) {
    if (is_gzip(file.bytes)) {
      // zlib reads through a pointer to mutable bytes that it does not change.
      stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(file.bytes.data()));
      stream_.avail_in = static_cast<uInt>(file.bytes.size());
      if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
      unpacker_.reset(&stream_);
    }
    const std::uint32_t magic = number();
    if (magic == expected_magic) return;
    file.reject("has the wrong magic number (0x{:08x}, not 0x{:08x})", magic, expected_magic);
  }

  std::uint32_t number() {
    std::array<std::byte, 4> digits{};
    if (read(digits) < digits.size()) file_.reject("is truncated (it ends within its header)");
    header_size_ += std::ssize(digits);
    std::uint32_t number = 0;
    for (const std::byte digit : digits) number = number << 8 | std::to_integer<std::uint32_t>(digit);
    return number;
  }

  std::int64_t count(std::int64_t max_count) {
    const std::int64_t count = number();
    if (count == 0) file_.reject("holds no samples");
    if (count <= max_count) return count;
    file_.reject("claims {} samples, of which there are at most {}", with_separators(count),
                 with_separators(max_count));
  }

  /// All that follows, which has to be of that size; with an intact checksum where it is compressed.
  std::vector<std::byte> content(std::int64_t size) {
    std::vector<std::byte> content(static_cast<std::size_t>(size));
    const auto got = static_cast<std::int64_t>(read(content));
    if (got < size) {
      file_.reject("is truncated ({} of {} {})", with_separators(header_size_ + got),
                   with_separators(header_size_ + size), unpacker_ ? "unpacked bytes" : "bytes");
    }
    std::byte extra{};
    if (read({&extra, 1}) > 0) file_.reject("has bytes after its last sample");
    if (unpacker_ && !is_finished_) file_.reject("is truncated (its gzip checksum is missing)");
    return content;
  }

 private:
  /// Fills `out`, which is smaller than 4 GiB, and returns how much there was: less than asked for only at
  /// the end.
  std::size_t read(std::span<std::byte> out) {
    if (unpacker_) return unpack(out);
    const auto taken = rest_.first(std::min(out.size(), rest_.size()));
    std::ranges::copy(taken, out.begin());
    rest_ = rest_.subspan(taken.size());
    return taken.size();
  }

  std::size_t unpack(std::span<std::byte> out) {
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    while (stream_.avail_out > 0 && !is_finished_) {
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_BUF_ERROR) break;  // the input ends in the middle of the stream
      if (status == Z_STREAM_END) {
        is_finished_ = stream_.avail_in == 0;
        if (!is_finished_) inflateReset(&stream_);  // gzip files may be joined end to end
      } else if (status != Z_OK) {
        file_.reject("is corrupt (gzip: {})", stream_.msg != nullptr ? stream_.msg : "bad data");
      }
    }
    return out.size() - stream_.avail_out;
  }

  const RawFile& file_;
  std::span<const std::byte> rest_;  ///< Of a plain file.
  z_stream stream_{};
  std::unique_ptr<z_stream, decltype(&inflateEnd)> unpacker_{nullptr, inflateEnd};  ///< Of a gzip file.
  bool is_finished_ = false;  ///< The last gzip member was read to its end.
  std::int64_t header_size_ = 0;
};

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

/// "train-images.idx3-ubyte", as Kaggle and others name it.
std::string dotted(const std::string& stem) {
  const std::size_t dash = stem.rfind("-idx");
  return stem.substr(0, dash) + "." + stem.substr(dash + 1);
}

/// Where the file is: as published, unpacked, under Kaggle's name, or in a folder of its own name.
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

/// As published, then as these unpack.
std::vector<RemoteFile> known_files(const IdxSource& source) {
  std::vector<RemoteFile> known;
  for (std::size_t i = 0; i < kStems.size(); ++i) {
    known.push_back({kStems[i] + ".gz", source.files[i].size, source.files[i].md5});
  }
  for (std::size_t i = 0; i < kStems.size(); ++i) {
    known.push_back({kStems[i], {}, source.files[i].md5_unpacked});
    known.push_back({dotted(kStems[i]), {}, source.files[i].md5_unpacked});
    known.push_back({dotted(kStems[i]) + ".gz", source.files[i].size, source.files[i].md5});
  }
  return known;
}

/// Reads the images whose file is the one at `position`, and their labels, and takes down which files these
/// were.
Split read_split(const IdxSource& source, const fs::path& folder, std::size_t position,
                 std::int64_t max_count, DatasetRecord& record) {
  const auto read = [&](const std::string& stem, Bytes content) {
    return read_raw_file(make_path(folder, stem), source.name, idx_size_limit(content));
  };
  const RawFile images = read(kStems[position], Bytes{max_count * kSide * kSide});
  const RawFile labels = read(kStems[position + 1], Bytes{max_count});
  // Checksums take a third as long as unpacking: meanwhile.
  auto described = std::async(std::launch::async, [&, known = known_files(source)] {
    return std::array{describe_file(images, known), describe_file(labels, known)};
  });
  Split split{read_idx_images(images, max_count), read_idx_labels(labels, max_count)};
  if (split.targets.shape.front() != split.size()) {
    labels.reject("holds {} labels for the {} images of {}", with_separators(split.targets.shape.front()),
                  with_separators(split.size()), images.name());
  }
  append(record.files, described.get());
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

Bytes idx_size_limit(Bytes content) {
  // A gzip header may carry a name and a comment; data that does not compress grows by less than an eighth.
  constexpr Bytes kHeaders{65'536};
  return content + Bytes{content.value / 8} + kHeaders;
}

HostArray read_idx_images(const RawFile& file, std::int64_t max_count) {
  IdxReader reader(file, kImagesMagic);
  const std::int64_t count = reader.count(max_count);
  const std::int64_t height = reader.number();
  const std::int64_t width = reader.number();
  if (height != kSide || width != kSide) {
    file.reject("holds images of {}x{}, not {}x{}", with_separators(height), with_separators(width), kSide,
                kSide);
  }
  return {ElementType::kUint8, {count, 1, kSide, kSide}, reader.content(count * kSide * kSide)};
}

HostArray read_idx_labels(const RawFile& file, std::int64_t max_count) {
  IdxReader reader(file, kLabelsMagic);
  return targets_from(reader.content(reader.count(max_count)), kClasses, file);
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
