#pragma once
// Contents of dataset files, valid and invalid.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <zlib.h>

#include "gpubench/core/error.h"
#include "support/catch.h"

namespace gpubench::test {

/// Returns `number` as four big-endian bytes.
inline std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
  return bytes;
}

inline std::string idx_images_header(std::uint32_t count, std::uint32_t side = 28) {
  return big_endian(0x803) + big_endian(count) + big_endian(side) + big_endian(side);
}

/// Returns `count` images. All pixels of an image are its index.
inline std::string idx_images(std::uint32_t count) {
  std::string bytes = idx_images_header(count);
  for (std::uint32_t i = 0; i < count; ++i) bytes.append(std::size_t{28 * 28}, static_cast<char>(i));
  return bytes;
}

/// Returns labels that repeat 0 to 9.
inline std::string idx_labels(std::uint32_t count) {
  std::string bytes = big_endian(0x801) + big_endian(count);
  for (std::uint32_t i = 0; i < count; ++i) bytes += static_cast<char>(i % 10);
  return bytes;
}

/// Returns CIFAR-10 records with labels that repeat 0 to 9. All pixels of a record are its index.
inline std::string cifar_records(int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) {
    bytes += static_cast<char>(i % 10);
    bytes.append(std::size_t{3 * 32 * 32}, static_cast<char>(i));
  }
  return bytes;
}

inline std::string gzip(std::string bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("cannot compress");
  return packed;
}

inline std::string read_content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Returns the message of the data Error that `action` throws, which must be one line.
template <class Action>
std::string catch_data_error(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    const std::string message = error.what();
    CHECK(error.kind() == ErrorKind::kData);
    CHECK(message.find('\n') == std::string::npos);
    return message;
  }
  FAIL("no error was thrown");
  return "";
}

}  // namespace gpubench::test
