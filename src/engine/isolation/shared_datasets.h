#pragma once
// A decoded dataset in memory that child processes map instead of decoding it again.

#include <map>
#include <memory>
#include <string>

#include "engine/plan/describe.h"
#include "gpubench/core/io/files.h"
#include "gpubench/dataset.h"
#include "record/document/record_json.h"

namespace gpubench {

/// First descriptor that has no meaning of its own in a child process.
inline constexpr int kFirstFreeDescriptor = 10;

/// Holds the samples as long as it lives; they are not mapped into this process.
struct SharedDataset {
  /// Copies the arrays of `dataset`. Throws an internal Error where memory cannot be shared.
  explicit SharedDataset(const Dataset& dataset);

  FileDescriptor memory;  ///< A child inherits it.
  Json layout;            ///< What a child needs, beside the descriptor, to map it.
  DataFacts facts;
};

/// The datasets of a run by their names. Holds them outside this process's own memory.
using SharedDatasets = std::map<std::string, SharedDataset>;

/// In the child: a dataset over memory that another process shares.
struct MappedDataset {
  /// `layout` as from SharedDataset, `spec` as the dataset's entry has it. Throws a data Error for a layout
  /// that does not fit the memory.
  MappedDataset(const Json& layout, const DataSpec& spec);

  std::shared_ptr<std::byte> memory;
  Dataset dataset;
};

}  // namespace gpubench
