#pragma once
// The datasets of a run, each read once.

#include <map>
#include <string>
#include <vector>

#include "app/train_options.h"
#include "engine/execution/executor.h"
#include "engine/isolation/shared_datasets.h"

namespace gpubench {

/// Loads what the cases need, before anything is measured. Its references live as long as it does.
class DatasetStore {
 public:
  /// Loads the dataset of every case. A named dataset that is missing or bad throws a data Error; one chosen
  /// by `auto` is replaced by a synthetic one, and the record says why. With `shared` the samples go there
  /// only, so that this process stays small.
  DatasetStore(const std::vector<Case>& cases, const DataOptions& options, bool is_quiet,
               SharedDatasets* shared);

  /// With `shared` without their samples.
  const Datasets& datasets() const { return loaded_; }

  DataFacts make_facts(const Case& c) const { return facts_.at(c.dataset->name); }

  std::vector<DatasetRecord> records() const;

 private:
  Datasets loaded_;
  std::map<std::string, DataFacts> facts_;
};

/// Shows downloads on stderr if that is a terminal, unless quiet.
DownloadProgress download_progress(bool is_quiet);

}  // namespace gpubench
