#include "data/decode/idx.h"

#include <array>
#include <span>

#include <fmt/format.h>

#include "data/decode/byte_reader.h"
#include "data/decode/labels.h"
#include "gpubench/core/text/text_table.h"

namespace gpubench {
namespace {

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
