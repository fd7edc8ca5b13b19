#pragma once
// From options to the list of cases: every combination of device, model and batch size, checked before any
// work.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpubench/dataset.h"
#include "gpubench/model_catalog.h"

namespace gpubench {

/// What the user asked to measure. The lists make a grid.
struct PlanOptions {
  std::vector<std::string> models{"cnn"};
  std::vector<std::string> devices{"auto"};
  std::vector<std::int64_t> batch_sizes{128};  ///< Samples a step, each at least 1.
  std::string dataset = "auto";                ///< A dataset's name, "auto" or "synthetic".
  std::int64_t epochs = 5;                     ///< At least 1, the warm-up included.
  std::optional<std::int64_t> warmup_epochs;   ///< Below `epochs`; unset means 1, or 0 for a single epoch.
  std::int64_t seed = 0;
  std::int64_t limit = 0;               ///< Samples used of each split; 0 means all.
  std::optional<double> learning_rate;  ///< Unset means the model's own recipe.
};

/// Where a case's samples come from.
enum class DataSource {
  kReal,            ///< The dataset's files, or an error.
  kRealIfPossible,  ///< The files, downloaded if need be, else a synthetic stand-in.
  kSynthetic,
};

/// One training to measure. The entries belong to their catalogs, which live as long as the program.
struct Case {
  const ModelEntry* model = nullptr;
  const DatasetEntry* dataset = nullptr;  ///< For synthetic data: the dataset it stands in for.
  DataSource source = DataSource::kRealIfPossible;
  std::string device;  ///< Resolved name, e.g. "cuda:0".
  std::int64_t batch_size = 0;
  std::int64_t epochs = 0;
  std::int64_t warmup_epochs = 0;
  std::int64_t seed = 0;
  std::int64_t limit = 0;
  std::optional<double> learning_rate;
};

/// How many of a split's `size` samples a case with this `limit` uses.
std::int64_t used_samples(std::int64_t size, std::int64_t limit);

/// The cases in the order devices, models, batch sizes. `devices` are the resolved names of options.devices.
/// Throws a usage Error that names the option for an unknown name, a value out of range, or a model that does
/// not take the dataset.
std::vector<Case> make_plan(const PlanOptions& options, const std::vector<std::string>& devices,
                            const Catalog<ModelEntry>& models, const Catalog<DatasetEntry>& datasets);

}  // namespace gpubench
