#pragma once
// A split of a dataset on the device, so that no epoch waits for a loader.

#include <ATen/core/Tensor.h>

#include "engine/plan/rank_context.h"
#include "engine/training/input/batch_source.h"
#include "gpubench/dataset.h"

namespace gpubench {

/// Samples and targets on one device, converted() for models; a source of batches in random order.
class ResidentSplit : public BatchSource {
 public:
  /// Copies the first `limit` samples of `split` (all of them for 0) to `device`.
  ResidentSplit(const Split& split, std::int64_t limit, c10::Device device, const InputFormat& format = {},
                const SampleDraw& draw = {});

  std::int64_t size() const override { return targets_.size(0); }
  c10::Device device() const { return targets_.device(); }

  /// Returns the samples at the positions `indices`, an int64 tensor on the same device.
  Batch gather(const at::Tensor& indices) const;

  /// Returns `count` samples from `first` on, without a copy.
  Batch slice(std::int64_t first, std::int64_t count) const;

  /// Draws an order for an epoch. Does not wait for the device.
  at::Tensor draw_order() const;
  RankShare share() const { return draw_.share; }

  void begin_epoch() override;
  Batch next(std::int64_t count) override;

 private:
  InputFormat format_;
  SampleDraw draw_;
  std::vector<std::int64_t> sample_shape_;
  at::Tensor rows_;  // A sample each, its values in the order of the format.
  at::Tensor targets_;
  at::Tensor order_;  // Of the epoch.
  std::int64_t position_ = 0;
};

}  // namespace gpubench
