#pragma once
// A decoded dataset in memory that child processes map instead of decoding it again.

#include <map>
#include <memory>
#include <string>

#include "engine/plan/plan.h"
#include "gpubench/core/io/files.h"
#include "gpubench/dataset.h"
#include "record/document/record_json.h"

namespace gpubench {

/// Owns the samples, which are not mapped into this process.
struct SharedDataset {
  /// Copies the arrays of `dataset`. Throws a usage Error if memory cannot be shared.
  explicit SharedDataset(const Dataset& dataset);

  FileDescriptor memory;  ///< A child inherits it.
  Json layout;            ///< Input of MappedDataset.
  DataFacts facts;
};

/// The datasets of a run by name.
using SharedDatasets = std::map<std::string, SharedDataset>;

/// In the child: a dataset over memory that another process shares.
struct MappedDataset {
  /// `layout` is from the supervisor's SharedDataset, `spec` from the dataset's entry.
  MappedDataset(const Json& layout, const DataSpec& spec);

  std::shared_ptr<std::byte> memory;
  Dataset dataset;
};

}  // namespace gpubench
