#pragma once
// A case on its device: the model, its data and its trainer, and the phases of its time.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/plan.h"
#include "engine/timing/timing.h"
#include "gpubench/record/run_record.h"
#include "workloads/train/trainer.h"

namespace gpubench {

/// Times the phases of a case, in order. The references outlive it.
struct Timeline {
  Device& device;
  const Clock& clock;
  std::vector<Phase>& phases;
  Seconds origin = clock.now();

  /// Runs `work` in a timed window, notes the phase and returns how long it took.
  template <class Work>
  Seconds time(std::string name, Work work) {
    phases.push_back({std::move(name), clock.now() - origin, time_work(device, clock, work)});
    return phases.back().duration;
  }
};

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

/// Moves the model, before the optimizer is made. Parameters become `format.type`, except normalizations,
/// whose statistics need fp32; weights of convolutions get the format's strides.
void to_device(Model& model, c10::Device device, const InputFormat& format);

/// Leaves training mode to the layers that need it, all but dropout.
void switch_dropout_off(Model& model);

/// Returns whether the strides of the parameter depend on the layout.
inline bool is_convolution_weight(const at::Tensor& parameter) { return parameter.dim() == 4; }

/// Objects that train a case, in the order in which a user's own script would make them.
struct Session {
  std::unique_ptr<RankGroup> ranks;  ///< Null if this process trains alone. Outlives the rest.
  std::shared_ptr<Model> model;
  std::unique_ptr<GradientExchange> exchange;  ///< Null if this process trains alone.
  std::unique_ptr<BatchSource> source;         ///< Of the training split.
  ResidentSplit* train = nullptr;              ///< The source itself; loader resident only.
  std::optional<ResidentSplit> validation;     ///< Resident for protocol fit only.
  std::unique_ptr<Trainer> trainer;
  std::unique_ptr<BlockStamps> stamps;
  std::unique_ptr<GraphEpoch> graph;  ///< Set if epochs are replayed instead of queued step by step.
  InputFormat format;
  Choice<Execution> execution{Execution::kEager, {}};
  Choice<Layout> layout{Layout::kNchw, {}};
  Seconds setup;  ///< Build, transfer, optimiser and recording together.

  RankShare share() const { return ranks ? ranks->share() : RankShare{}; }

  /// Queues an epoch in the session's mode of execution, with its time stamps. Does not wait for the device.
  void queue_epoch(CaseMonitor& monitor) const;

  /// Continues eagerly and frees the memory of the recorded epoch, if any.
  void drop_graph(Device& device);

  /// Queues a single step on this rank's share of the first `samples` samples of the training split.
  void queue_step(std::int64_t samples);

  /// Queues the next full step of epochs that have no other ones. Does not wait for the device.
  void queue_full_step();
  std::int64_t left = 0;  ///< Samples of the epoch of queue_full_step().
};

/// Joins other ranks, seeds, builds the model, moves it and the data, and records an epoch if asked for.
/// Layout `auto` has been resolved (Case::tried). Throws Unsupported for a missing mode, and LostConnection.
Session open_session(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                     Timeline& timeline, CaseMonitor& monitor);
/// Opens a session without other ranks, for trials.
Session open_session(const Case& c, const Dataset& dataset, Device& device, const Clock& clock);

}  // namespace gpubench
