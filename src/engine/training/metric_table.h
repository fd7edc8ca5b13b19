#pragma once
// The metrics of many batches, added up without a wait.

#include <cstdint>
#include <vector>

#include "gpubench/model.h"

namespace gpubench {

/// A row for each batch: its metrics summed over its samples, on the device. Batches are scored many at once,
/// since one by itself would take half a dozen small kernels, which on a fast device is a fifth of a small
/// network's step. Everything is queued, and may be recorded, in parts that end with score().
class MetricTable {
 public:
  /// Empty. `model` outlives it.
  MetricTable(const Model& model, c10::Device device);

  /// Forgets all rows and makes room for those of `batches` batches, where they were if that is large enough.
  /// Further batches are added to rows that are there.
  void clear(std::int64_t batches);

  /// Takes what a batch of `samples` samples left for its metrics.
  void add(Results results, std::int64_t samples);

  /// Scores what was added since the last time.
  void score();

  /// Forgets what was added since the last time.
  void drop_unscored() { unscored_.clear(); }

  /// Each metric summed over all rows, in their order, in fp32. Waits for the device.
  std::vector<double> sums() const;

 private:
  const Model& model_;
  at::Tensor rows_;
  at::Tensor next_row_;  // Counted on by the device, so that recorded work fills other rows each time.
  std::int64_t batches_ = 0;
  std::vector<Results> unscored_;
  std::int64_t unscored_samples_ = 0;  // Of each of them.
};

/// Each metric of one batch, summed over its `samples` samples: float32, shape {metrics}.
at::Tensor metric_sums(const Model& model, const Results& results, std::int64_t samples);

}  // namespace gpubench
