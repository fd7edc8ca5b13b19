#pragma once
// Reads a file front to back, unpacking it on the way if it is compressed.

#include <cstddef>
#include <span>

#include <zlib.h>

#include "data/fetch/raw_file.h"

namespace gpubench {

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

}  // namespace gpubench
