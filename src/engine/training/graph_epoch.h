#pragma once
// An epoch as recorded work: launched as a whole, or in blocks of steps if it has too many operations.

#include <memory>
#include <string>

#include "engine/timing/timing.h"
#include "engine/training/trainer.h"
#include "gpubench/device.h"

namespace gpubench {

/// Steps of an epoch that are recorded together. A block is replayed `blocks` times; each time it trains on
/// the next batches of the order. The rest, including the short last batch, is replayed once.
struct GraphShape {
  std::int64_t block_steps = 0;  ///< 0 if one graph holds the whole epoch.
  std::int64_t blocks = 0;
  std::int64_t tail_steps = 0;
};

/// Returns the shape for an epoch of `samples` samples. A graph has at least one node for each operation, and
/// recording takes about 10 us for each: a graph gets 50,000 at most. If there are blocks, they are
/// kEpochBlocks or more, for as many time stamps.
GraphShape graph_shape(std::int64_t samples, std::int64_t batch_size, double operations_per_step);

/// Records the epochs of `trainer` on `train`, and the time stamps inside a graph with them. Parameters and
/// optimisers keep their state, also if LibTorch throws because something cannot be recorded. All parts
/// outlive it.
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
  // Empty; the others are recorded beside it to share memory, since they are replayed one after the other.
  std::unique_ptr<RecordedWork> first_;
  std::unique_ptr<RecordedWork> block_;
  std::unique_ptr<RecordedWork> tail_;
};

}  // namespace gpubench
