#pragma once
// Datasets of MNIST's kind: 60,000 + 10,000 grey images of 28x28 in 10 classes, in four IDX files that are
// compressed as published or unpacked.

#include <filesystem>
#include <string>
#include <vector>

#include "gpubench/dataset.h"

namespace gpubench {

/// Where such a dataset comes from.
struct IdxSource {
  std::string name;  ///< Command-line name; the folder has it too.
  std::string base_url;
  std::vector<RemoteFile> published;  ///< The compressed files.
  std::vector<RemoteFile> unpacked;   ///< What they unpack to.
};

/// The dataset in `folder`. The last sixth of its training file validates, 10,000 of the official 60,000.
/// Throws a data Error as DatasetEntry::load does.
Dataset load_idx_dataset(const IdxSource& source, const std::filesystem::path& folder);

/// An entry with everything but its summary. `load` calls load_idx_dataset with `source`.
DatasetEntry idx_entry(const IdxSource& source, Dataset (*load)(const std::filesystem::path& folder));

}  // namespace gpubench
