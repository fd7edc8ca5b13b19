#pragma once
// A split of a dataset on the device, so that no epoch waits for a loader.

#include <ATen/core/Tensor.h>

#include "gpubench/batch.h"
#include "gpubench/dataset.h"

namespace gpubench {

/// Samples and targets on one device: inputs as float32 in [0, 1], targets as int64.
class ResidentSplit {
 public:
  /// Copies the first `limit` samples of `split` (all of them for 0) to `device`.
  ResidentSplit(const Split& split, std::int64_t limit, c10::Device device);

  std::int64_t size() const { return inputs_.size(0); }
  c10::Device device() const { return inputs_.device(); }

  /// The samples at the positions `indices`, an int64 tensor on the same device.
  Batch gather(const at::Tensor& indices) const;

  /// `count` samples from `first` on, without a copy.
  Batch slice(std::int64_t first, std::int64_t count) const;

 private:
  at::Tensor inputs_;
  at::Tensor targets_;
};

}  // namespace gpubench
