#pragma once
// The IDX format of MNIST: a big-endian header (magic number, one 32-bit size a dimension), then unsigned
// bytes, plain or gzip-compressed. Its datasets: 60,000 + 10,000 grey images of 28x28 in 10 classes.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "data/fetch/raw_file.h"
#include "gpubench/dataset.h"

namespace gpubench {

/// Returns images as kUint8 {count, 1, 28, 28}. Rejects files that are not 1 to `max_count` whole images.
HostArray read_idx_images(const RawFile& file, std::int64_t max_count);

/// Returns labels in [0, 10), as kInt64 {count}. Rejects the file likewise.
HostArray read_idx_labels(const RawFile& file, std::int64_t max_count);

struct IdxSource {
  struct File {
    Bytes size;  ///< As published, compressed.
    std::string md5;
    std::string md5_unpacked;
  };

  std::string name;  ///< Command-line name; the folder has it too.
  std::string summary;
  std::string base_url;
  std::vector<std::string> other_folders;  ///< As DatasetEntry has them.
  std::array<File, 4> files;  ///< Images to train on, their labels, images to test on, their labels.
};

/// Returns the dataset. The last sixth of its training file validates, 10,000 of the official 60,000.
DatasetEntry idx_entry(const IdxSource& source);

}  // namespace gpubench
