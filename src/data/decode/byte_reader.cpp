#include "data/decode/byte_reader.h"

#include <algorithm>
#include <stdexcept>

namespace gpubench {
namespace {

constexpr int kGzipOnly = MAX_WBITS + 16;  // zlib's way to say: gzip header and checksum, nothing else

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

}  // namespace

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

}  // namespace gpubench
