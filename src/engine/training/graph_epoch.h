#pragma once
// An epoch as recorded work: launched as a whole, or, where it has too many operations, in blocks of steps.

#include <memory>
#include <string>

#include "engine/timing/timing.h"
#include "engine/training/trainer.h"
#include "gpubench/device.h"

namespace gpubench {

/// Steps of an epoch that are recorded together. A block is replayed `blocks` times; each time it trains on
/// the next batches of the order. What is left, the short last batch included, is replayed once.
struct GraphShape {
  std::int64_t block_steps = 0;  ///< 0 where one graph holds the whole epoch.
  std::int64_t blocks = 0;
  std::int64_t tail_steps = 0;
};

/// The shape for an epoch of `samples` samples whose steps have so many operations each. A graph has a node
/// or more for each operation, and recording it takes about 10 us for each: a graph gets 50,000 at most.
/// Where there are blocks, they are kEpochBlocks or more, so that there are as many time stamps between them.
GraphShape graph_shape(std::int64_t samples, std::int64_t batch_size, double operations_per_step);

/// Records the epochs of `trainer` on `train`; all of these outlive it. Divides `stamps` by what is recorded,
/// and records those inside a graph with it. Parameters and optimisers are afterwards as they were. Throws
/// what LibTorch throws where something cannot be recorded; the trainer can go on without.
class GraphEpoch {
 public:
  GraphEpoch(Trainer& trainer, const ResidentSplit& train, Device& device, BlockStamps& stamps);

  /// Queues one epoch in a fresh random order. Does not wait for the device.
  void queue(CaseMonitor& monitor);

  /// Queues the first of an epoch's recordings alone and returns its steps, where what is learnt does not
  /// matter. Does not wait for the device.
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
  at::Tensor position_;  // Of the next block, counted on by the block itself.
  // Nothing; the others are beside it, for they are replayed one after the other and can share memory.
  std::unique_ptr<RecordedWork> first_;
  std::unique_ptr<RecordedWork> block_;
  std::unique_ptr<RecordedWork> tail_;
};

}  // namespace gpubench
