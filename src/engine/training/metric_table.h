#pragma once
// Sums of the metrics of many batches, without waiting for the device.

#include <cstdint>
#include <vector>

#include "gpubench/model.h"

namespace gpubench {

/// A row of metric sums for each batch, on the device. Scoring each batch alone would take a fifth of a small
/// network's step. Everything is queued, and may be recorded, in parts that end with score().
class MetricTable {
 public:
  /// Empty. `model` outlives it.
  MetricTable(const Model& model, c10::Device device);

  /// Clears all rows for `batches` batches, in the same memory if large enough; further batches share rows.
  void clear(std::int64_t batches);

  void add(Results results, std::int64_t samples);

  /// Scores the batches that were added since the last call.
  void score();

  void drop_unscored() { unscored_.clear(); }

  /// Returns each metric summed over all rows, in their order, in fp32. Waits for the device.
  std::vector<double> sums() const;

 private:
  const Model& model_;
  at::Tensor rows_;
  at::Tensor next_row_;  // On the device, so that recorded work fills other rows in each replay.
  std::vector<Results> unscored_;
  std::int64_t unscored_samples_ = 0;  // Of each of them.
};

}  // namespace gpubench
