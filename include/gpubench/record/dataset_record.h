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
  std::string
      provenance;  ///< "official" (checksum known and equal), "other" (differs), "unverified" (none known).
};

/// A dataset that cases used.
struct DatasetRecord {
  std::string name;
  bool is_synthetic = false;
  std::string
      note;  ///< Why it is not what was asked for or not official; empty where there is nothing to say.
  std::vector<DataFileRecord> files;
};

}  // namespace gpubench
