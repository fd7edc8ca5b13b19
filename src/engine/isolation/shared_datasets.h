#pragma once
// Decoded datasets in memory that child processes map.

#include <map>
#include <memory>
#include <string>

#include "gpubench/dataset.h"

namespace gpubench {

class SharedDataset;

/// The datasets of a run by their names. Holds them outside this process's own memory.
class SharedDatasets {
 public:
  SharedDatasets();
  ~SharedDatasets();

  /// Copies the samples. Throws an internal Error where memory cannot be shared.
  void add(const Dataset& dataset);

  /// Throws std::out_of_range for a name that was not added.
  const SharedDataset& at(const std::string& name) const { return *datasets_.at(name); }

 private:
  std::map<std::string, std::unique_ptr<SharedDataset>> datasets_;
};

}  // namespace gpubench
