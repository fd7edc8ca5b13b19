#pragma once
// Data that a run used.

#include <string>
#include <vector>

#include "gpubench/core/units.h"

namespace gpubench {

/// One file of a dataset as it was read.
struct DataFileRecord {
  std::string name;  ///< Without its folder: results are shared between people.
  Bytes size;
  std::string sha256;
  std::string provenance;  ///< "official": the checksum is the publisher's; "other" or "unverified".

  friend bool operator==(const DataFileRecord&, const DataFileRecord&) = default;
};

/// A dataset that cases used.
struct DatasetRecord {
  std::string name;
  bool is_synthetic = false;
  std::string note;  ///< Why it is not what was asked for, or not official; else empty.
  std::vector<DataFileRecord> files;

  friend bool operator==(const DatasetRecord&, const DatasetRecord&) = default;
};

}  // namespace gpubench
