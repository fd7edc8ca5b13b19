#pragma once
// An epoch as recorded work: launched as a whole, or in blocks of steps if it has too many operations.

#include <memory>
#include <string>

#include "engine/timing/timing.h"
#include "engine/training/trainer.h"

namespace gpubench {

/// Steps recorded together. A block is replayed `blocks` times on the next batches; the rest once.
struct GraphShape {
  std::int64_t block_steps = 0;  ///< 0 if one graph holds the whole epoch.
  std::int64_t blocks = 0;
  std::int64_t tail_steps = 0;
};

/// Limits a graph to 6,000 nodes, since recording takes time for each and large graphs may run slowly: on
/// H100 and H200 an LSTM of 22,000 nodes an epoch takes 1.5 times as long in one graph as in ten. Blocks, if
/// any, number at least kEpochBlocks, for as many time stamps.
GraphShape graph_shape(std::int64_t samples, std::int64_t batch_size, double nodes_per_step);

/// Records the epochs of `trainer` on `train`, with time stamps. All parts outlive it. Parameters and
/// optimizers keep their state even if recording throws.
class GraphEpoch {
 public:
  GraphEpoch(Trainer& trainer, const ResidentSplit& train, Device& device, BlockStamps& stamps);

  /// Queues one epoch in a fresh random order. Does not wait for the device.
  void queue(const OnSteps& on_steps);

  /// Queues only the first of an epoch's recordings and returns its steps. Does not wait for the device.
  std::int64_t queue_part();

  /// "391 steps in one graph".
  std::string description() const;

 private:
  void begin();
  double warm_up();
  void train_on(const at::Tensor& order, std::int64_t first, std::int64_t count);
  void block();
  void tail();
  void record(Device& device);

  Trainer& trainer_;
  const ResidentSplit& train_;
  BlockStamps& stamps_;
  GraphShape shape_;
  at::Tensor order_;     // Of all samples; refreshed in place.
  at::Tensor lanes_;     // 0 to the samples of a block - 1.
  at::Tensor position_;  // Of the next block; each block advances it.
  // A step; the others are recorded beside it to share memory, since they are replayed one after the other.
  std::unique_ptr<RecordedWork> first_;
  std::unique_ptr<RecordedWork> block_;
  std::unique_ptr<RecordedWork> tail_;
};

}  // namespace gpubench
