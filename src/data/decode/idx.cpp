#include "data/decode/idx.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>

#include <fmt/format.h>

#include "data/decode/labels.h"
#include "data/fetch/raw_file.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

/// The content of a plain or gzip file, told apart by their first bytes. Unpacks no more than is asked for,
/// so that the reader's memory is the caller's choice. Damage is rejected where it is met.
class ByteReader {
 public:
  /// `file` must outlive the reader and be smaller than 4 GiB.
  explicit ByteReader(const RawFile& file);
  ~ByteReader();
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;

  bool is_compressed() const { return is_compressed_; }

  /// Fills `out`, which is smaller than 4 GiB, and returns how much there was: less than asked for only at
  /// the end.
  std::size_t read(std::span<std::byte> out);

  /// Rejects the file unless it ends here, with an intact checksum where it is compressed.
  void expect_end();

 private:
  std::size_t copy(std::span<std::byte> out);
  std::size_t unpack(std::span<std::byte> out);

  const RawFile& file_;
  bool is_compressed_ = false;
  std::size_t position_ = 0;  ///< Of a plain file.
  bool is_finished_ = false;  ///< The last gzip member was read to its end.
  z_stream stream_{};
};

constexpr int kGzipOnly = MAX_WBITS + 16;  // zlib's way to say: gzip header and checksum, nothing else

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

ByteReader::ByteReader(const RawFile& file) : file_(file), is_compressed_(is_gzip(file.bytes)) {
  if (!is_compressed_) return;
  // zlib reads through a pointer to mutable bytes that it does not change.
  stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(file.bytes.data()));
  stream_.avail_in = static_cast<uInt>(file.bytes.size());
  if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
}

ByteReader::~ByteReader() {
  if (is_compressed_) inflateEnd(&stream_);
}

std::size_t ByteReader::read(std::span<std::byte> out) { return is_compressed_ ? unpack(out) : copy(out); }

void ByteReader::expect_end() {
  std::byte extra{};
  if (read({&extra, 1}) > 0) file_.reject("has bytes after its last sample");
  if (is_compressed_ && !is_finished_) file_.reject("is truncated (its gzip checksum is missing)");
}

std::size_t ByteReader::copy(std::span<std::byte> out) {
  const std::size_t count = std::min(out.size(), file_.bytes.size() - position_);
  std::copy_n(file_.bytes.begin() + static_cast<std::ptrdiff_t>(position_), count, out.begin());
  position_ += count;
  return count;
}

std::size_t ByteReader::unpack(std::span<std::byte> out) {
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

// Two zero bytes, the code of unsigned bytes, the number of dimensions.
constexpr std::uint32_t kImagesMagic = 0x0000'0803;
constexpr std::uint32_t kLabelsMagic = 0x0000'0801;
constexpr std::int64_t kImagesHeaderSize = 16;
constexpr std::int64_t kLabelsHeaderSize = 8;

std::uint32_t read_number(ByteReader& reader, const RawFile& file) {
  std::array<std::byte, 4> bytes{};
  if (reader.read(bytes) < bytes.size()) file.reject("is truncated (it ends within its header)");
  std::uint32_t number = 0;
  for (const std::byte byte : bytes) number = number << 8 | std::to_integer<std::uint32_t>(byte);
  return number;
}

void check_magic(ByteReader& reader, const RawFile& file, std::uint32_t expected) {
  const std::uint32_t magic = read_number(reader, file);
  if (magic == expected) return;
  file.reject(fmt::format("has the wrong magic number (0x{:08x}, not 0x{:08x})", magic, expected));
}

std::int64_t read_count(ByteReader& reader, const RawFile& file, std::int64_t max_count) {
  const std::int64_t count = read_number(reader, file);
  if (count == 0) file.reject("holds no samples");
  if (count <= max_count) return count;
  file.reject(fmt::format("claims {} samples, of which there are at most {}", with_separators(count),
                          with_separators(max_count)));
}

std::vector<std::byte> read_content(ByteReader& reader, const RawFile& file, std::int64_t header_size,
                                    std::int64_t size) {
  std::vector<std::byte> content(static_cast<std::size_t>(size));
  const auto got = static_cast<std::int64_t>(reader.read(content));
  if (got < size) {
    file.reject(fmt::format("is truncated ({} of {} {})", with_separators(header_size + got),
                            with_separators(header_size + size),
                            reader.is_compressed() ? "unpacked bytes" : "bytes"));
  }
  reader.expect_end();
  return content;
}

}  // namespace

Bytes idx_size_limit(Bytes content) {
  // A gzip header may carry a name and a comment; data that does not compress grows by less than an eighth.
  constexpr Bytes kHeaders{65'536};
  return content + Bytes{content.value / 8} + kHeaders;
}

HostArray read_idx_images(const RawFile& file, std::int64_t height, std::int64_t width,
                          std::int64_t max_count) {
  ByteReader reader(file);
  check_magic(reader, file, kImagesMagic);
  const std::int64_t count = read_count(reader, file, max_count);
  const std::int64_t file_height = read_number(reader, file);
  const std::int64_t file_width = read_number(reader, file);
  if (file_height != height || file_width != width) {
    file.reject(fmt::format("holds images of {}x{}, not {}x{}", with_separators(file_height),
                            with_separators(file_width), height, width));
  }
  return {ElementType::kUint8,
          {count, 1, height, width},
          read_content(reader, file, kImagesHeaderSize, count * height * width)};
}

HostArray read_idx_labels(const RawFile& file, std::int64_t classes, std::int64_t max_count) {
  ByteReader reader(file);
  check_magic(reader, file, kLabelsMagic);
  const std::int64_t count = read_count(reader, file, max_count);
  return targets_from(read_content(reader, file, kLabelsHeaderSize, count), classes, file);
}

}  // namespace gpubench
