#pragma once
// The datasets of a run, each read once.

#include <map>
#include <string>
#include <vector>

#include "app/options.h"
#include "gpubench/dataset.h"
#include "gpubench/engine/plan.h"

namespace gpubench {

/// Loads what the cases need, before anything is measured. References that it hands out live as long as it
/// does.
class DatasetStore {
 public:
  /// Loads the dataset of every case. A named dataset that is missing or bad throws a data Error; one chosen
  /// by `auto` is replaced by its synthetic stand-in, and the record says why.
  DatasetStore(const std::vector<Case>& cases, const DataOptions& options, bool is_quiet);

  const Dataset& dataset_of(const Case& c) const { return loaded_.at(c.dataset->name); }

  /// Records of all datasets, for the environment.
  std::vector<DatasetRecord> records() const;

 private:
  std::map<std::string, Dataset> loaded_;
};

/// Shows downloads on stderr where it is a terminal; says nothing where it is not or when quiet.
DownloadProgress download_progress(bool is_quiet);

}  // namespace gpubench
