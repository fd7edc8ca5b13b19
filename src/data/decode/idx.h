#pragma once
// The IDX format of MNIST and its kin: a big-endian header (magic number, then one 32-bit size a dimension),
// then unsigned bytes. Plain or gzip-compressed.

#include <cstdint>

#include "data/fetch/raw_file.h"
#include "gpubench/dataset.h"

namespace gpubench {

/// Size on disk that an IDX file of `content` bytes cannot exceed, compressed or not.
Bytes idx_size_limit(Bytes content);

/// Grey images of `height` x `width`, as kUint8 {count, 1, height, width}. Rejects the file unless it is a
/// whole IDX image file of that geometry with 1 to `max_count` images; nothing is allocated before its header
/// was checked.
HostArray read_idx_images(const RawFile& file, std::int64_t height, std::int64_t width,
                          std::int64_t max_count);

/// Labels in [0, classes), as kInt64 {count}. Rejects the file likewise.
HostArray read_idx_labels(const RawFile& file, std::int64_t classes, std::int64_t max_count);

}  // namespace gpubench
