#include "data/decode/idx.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <future>
#include <span>

#include <fmt/format.h>

#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr int kGzipOnly = MAX_WBITS + 16;  // zlib's way to say: gzip header and checksum, nothing else

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

/// The content of a plain or gzip file, told apart by their first bytes. Unpacks no more than is asked for,
/// so that the reader's memory is the caller's choice. Damage is rejected where it is met.
class ByteReader {
 public:
  /// `file` must outlive the reader and be smaller than 4 GiB.
  explicit ByteReader(const RawFile& file) : file_(file), is_compressed_(is_gzip(file.bytes)) {
    if (!is_compressed_) return;
    // zlib reads through a pointer to mutable bytes that it does not change.
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(file.bytes.data()));
    stream_.avail_in = static_cast<uInt>(file.bytes.size());
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~ByteReader() {
    if (is_compressed_) inflateEnd(&stream_);
  }
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;

  bool is_compressed() const { return is_compressed_; }

  /// Fills `out`, which is smaller than 4 GiB, and returns how much there was: less than asked for only at
  /// the end.
  std::size_t read(std::span<std::byte> out) { return is_compressed_ ? unpack(out) : copy(out); }

  /// Rejects the file unless it ends here, with an intact checksum where it is compressed.
  void expect_end() {
    std::byte extra{};
    if (read({&extra, 1}) > 0) file_.reject("has bytes after its last sample");
    if (is_compressed_ && !is_finished_) file_.reject("is truncated (its gzip checksum is missing)");
  }

 private:
  std::size_t copy(std::span<std::byte> out) {
    const std::size_t count = std::min(out.size(), file_.bytes.size() - position_);
    std::copy_n(file_.bytes.begin() + static_cast<std::ptrdiff_t>(position_), count, out.begin());
    position_ += count;
    return count;
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
        file_.reject(std::string("is corrupt (gzip: ") + (stream_.msg != nullptr ? stream_.msg : "bad data") +
                     ")");
      }
    }
    return out.size() - stream_.avail_out;
  }

  const RawFile& file_;
  bool is_compressed_ = false;
  std::size_t position_ = 0;  ///< Of a plain file.
  bool is_finished_ = false;  ///< The last gzip member was read to its end.
  z_stream stream_{};
};

// Two zero bytes, the code of unsigned bytes, the number of dimensions.
constexpr std::uint32_t kImagesMagic = 0x0000'0803;
constexpr std::uint32_t kLabelsMagic = 0x0000'0801;

/// Goes through an IDX file: the numbers of its header, then its samples.
class IdxReader {
 public:
  IdxReader(const RawFile& file, std::uint32_t expected_magic) : file_(file), bytes_(file) {
    const std::uint32_t magic = number();
    if (magic == expected_magic) return;
    file.reject(fmt::format("has the wrong magic number (0x{:08x}, not 0x{:08x})", magic, expected_magic));
  }

  std::uint32_t number() {
    std::array<std::byte, 4> digits{};
    if (bytes_.read(digits) < digits.size()) file_.reject("is truncated (it ends within its header)");
    header_size_ += std::ssize(digits);
    std::uint32_t number = 0;
    for (const std::byte digit : digits) number = number << 8 | std::to_integer<std::uint32_t>(digit);
    return number;
  }

  std::int64_t count(std::int64_t max_count) {
    const std::int64_t count = number();
    if (count == 0) file_.reject("holds no samples");
    if (count <= max_count) return count;
    file_.reject(fmt::format("claims {} samples, of which there are at most {}", with_separators(count),
                             with_separators(max_count)));
  }

  /// All that follows, which has to be of that size.
  std::vector<std::byte> content(std::int64_t size) {
    std::vector<std::byte> content(static_cast<std::size_t>(size));
    const auto got = static_cast<std::int64_t>(bytes_.read(content));
    if (got < size) {
      file_.reject(fmt::format("is truncated ({} of {} {})", with_separators(header_size_ + got),
                               with_separators(header_size_ + size),
                               bytes_.is_compressed() ? "unpacked bytes" : "bytes"));
    }
    bytes_.expect_end();
    return content;
  }

 private:
  const RawFile& file_;
  ByteReader bytes_;
  std::int64_t header_size_ = 0;
};

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

Dataset load(const IdxSource& source, const fs::path& folder) {
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

}  // namespace

Bytes idx_size_limit(Bytes content) {
  // A gzip header may carry a name and a comment; data that does not compress grows by less than an eighth.
  constexpr Bytes kHeaders{65'536};
  return content + Bytes{content.value / 8} + kHeaders;
}

HostArray read_idx_images(const RawFile& file, std::int64_t height, std::int64_t width,
                          std::int64_t max_count) {
  IdxReader reader(file, kImagesMagic);
  const std::int64_t count = reader.count(max_count);
  const std::int64_t file_height = reader.number();
  const std::int64_t file_width = reader.number();
  if (file_height != height || file_width != width) {
    file.reject(fmt::format("holds images of {}x{}, not {}x{}", with_separators(file_height),
                            with_separators(file_width), height, width));
  }
  return {ElementType::kUint8, {count, 1, height, width}, reader.content(count * height * width)};
}

HostArray read_idx_labels(const RawFile& file, std::int64_t classes, std::int64_t max_count) {
  IdxReader reader(file, kLabelsMagic);
  return targets_from(reader.content(reader.count(max_count)), classes, file);
}

DatasetEntry idx_entry(const IdxSource& source) {
  DatasetEntry entry;
  entry.name = source.name;
  entry.summary = source.summary;
  entry.spec = spec();
  entry.sizes = sizes();
  entry.folder = source.name;
  entry.base_url = source.base_url;
  entry.files = source.published;
  entry.is_present = is_present;
  entry.load = [source](const fs::path& folder) { return load(source, folder); };
  return entry;
}

}  // namespace gpubench
