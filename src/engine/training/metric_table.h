#pragma once
// Sums of the metrics of many batches, without waiting for the device.

#include <cstdint>
#include <vector>

#include "gpubench/model.h"

namespace gpubench {

/// A row for each batch: its metrics summed over its samples, on the device. Batches are scored many at once:
/// half a dozen small kernels for each would take a fifth of a small network's step on a fast device.
/// Everything is queued, and may be recorded, in parts that end with score().
class MetricTable {
 public:
  /// Empty. `model` outlives it.
  MetricTable(const Model& model, c10::Device device);

  /// Clears all rows and makes room for `batches` batches, in the same memory if it is large enough. Further
  /// batches are added to existing rows.
  void clear(std::int64_t batches);

  /// Takes the results of a batch of `samples` samples.
  void add(Results results, std::int64_t samples);

  /// Scores the batches that were added since the last call.
  void score();

  /// Drops the batches that were added since the last score().
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
