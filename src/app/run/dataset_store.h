#pragma once
// The datasets of a run, each read once.

#include <map>
#include <string>
#include <vector>

#include "app/train_options.h"
#include "engine/execution/executor.h"
#include "engine/isolation/shared_datasets.h"

namespace gpubench {

/// Loads what the cases need, before anything is measured. References that it hands out live as long as it
/// does.
class DatasetStore {
 public:
  /// Loads the dataset of every case. A named dataset that is missing or bad throws a data Error; one chosen
  /// by `auto` is replaced by its synthetic stand-in, and the record says why. With `shared` the samples go
  /// there and are not kept here, so that this process stays small.
  DatasetStore(const std::vector<Case>& cases, const DataOptions& options, bool is_quiet,
               SharedDatasets* shared);

  /// All of them; with their samples only without `shared`.
  const Datasets& datasets() const { return loaded_; }

  DataFacts make_facts(const Case& c) const { return facts_.at(c.dataset->name); }

  /// Records of all datasets, for the environment.
  std::vector<DatasetRecord> records() const;

 private:
  Datasets loaded_;  // Without samples where they are shared.
  std::map<std::string, DataFacts> facts_;
};

/// Shows downloads on stderr where it is a terminal; says nothing where it is not or when quiet.
DownloadProgress download_progress(bool is_quiet);

}  // namespace gpubench
