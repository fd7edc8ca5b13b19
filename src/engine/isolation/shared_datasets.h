#pragma once
// A decoded dataset in memory that child processes map instead of decoding it again.

#include <map>
#include <string>

#include "engine/plan/describe.h"
#include "gpubench/core/io/files.h"
#include "gpubench/dataset.h"
#include "record/document/record_json.h"

namespace gpubench {

/// Holds the samples as long as it lives; they are not mapped into this process.
class SharedDataset {
 public:
  /// Copies the arrays of `dataset`. Throws an internal Error where memory cannot be shared.
  explicit SharedDataset(const Dataset& dataset);

  const DataFacts& facts() const { return facts_; }

  /// The descriptor that a child inherits.
  int descriptor() const { return memory_.get(); }

  /// What a child needs, beside the descriptor, to map it.
  const Json& layout() const { return layout_; }

 private:
  FileDescriptor memory_;
  Json layout_;
  DataFacts facts_;
};

/// In the child: a dataset over memory that another process shares.
class MappedDataset {
 public:
  /// `layout` as from SharedDataset, `spec` as the dataset's entry has it. Throws a data Error for a layout
  /// that does not fit the memory.
  MappedDataset(const Json& layout, const DataSpec& spec);
  ~MappedDataset();
  MappedDataset(const MappedDataset&) = delete;
  MappedDataset& operator=(const MappedDataset&) = delete;

  const Dataset& dataset() const { return dataset_; }

 private:
  HostArray array(const Json& place) const;
  Split split(const Json& places) const;

  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
  Dataset dataset_;
};

/// The datasets of a run by their names. Holds them outside this process's own memory.
class SharedDatasets {
 public:
  /// Copies the samples. Throws an internal Error where memory cannot be shared.
  void add(const Dataset& dataset) {
    datasets_.insert_or_assign(dataset.record.name, SharedDataset(dataset));
  }

  /// Throws std::out_of_range for a name that was not added.
  const SharedDataset& at(const std::string& name) const { return datasets_.at(name); }

 private:
  std::map<std::string, SharedDataset> datasets_;
};

}  // namespace gpubench
