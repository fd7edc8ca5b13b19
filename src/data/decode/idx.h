#pragma once
// The IDX format of MNIST and its kin: a big-endian header (magic number, then one 32-bit size a dimension),
// then unsigned bytes. Plain or gzip-compressed. And the datasets in it: 60,000 + 10,000 grey images of 28x28
// in 10 classes, in four files that are compressed as published or unpacked.

#include <cstdint>
#include <string>
#include <vector>

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

/// Where such a dataset comes from.
struct IdxSource {
  std::string name;  ///< Command-line name; the folder has it too.
  std::string summary;
  std::string base_url;
  std::vector<RemoteFile> published;  ///< The compressed files.
  std::vector<RemoteFile> unpacked;   ///< What they unpack to.
};

/// The dataset from there. The last sixth of its training file validates, 10,000 of the official 60,000.
DatasetEntry idx_entry(const IdxSource& source);

}  // namespace gpubench
