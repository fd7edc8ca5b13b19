#pragma once
// A case on its device: model, data, steps and the timeline of its phases.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/plan.h"
#include "engine/timing/timing.h"
#include "gpubench/record/run_record.h"
#include "workloads/steps/steps.h"

namespace gpubench {

/// Clock and record of the phases of a case. The references must outlive it.
struct Timeline {
  Device& device;
  const Clock& clock;
  std::vector<Phase>& phases;
  Seconds origin = clock.now();

  /// Runs `work` in a timed window, adds the phase and returns its duration.
  template <class Work>
  Seconds time(std::string name, Work work) {
    phases.push_back({std::move(name), clock.now() - origin, time_work(device, clock, work)});
    return phases.back().duration;
  }
};

/// Steps of the recorded graphs: a block that is replayed for each `block_steps` batches, and a tail.
struct GraphShape {
  std::int64_t block_steps = 0;  ///< Steps per block; 0 if one graph contains the whole epoch.
  std::int64_t blocks = 0;
  std::int64_t tail_steps = 0;
};

/// Returns the shape of the graphs of an epoch. A graph has at most 6,000 nodes, since each takes time to
/// record, and large graphs may be slow: on H100 and H200 an LSTM of 22,000 nodes per epoch takes 1.5 times
/// as long in one graph as in ten. There are at least kEpochBlocks blocks, if any, each with a time stamp.
GraphShape graph_shape(std::int64_t samples, std::int64_t batch_size, double nodes_per_step);

/// Records the epochs of `steps` on `train`, with time stamps. The arguments must outlive it. Parameters
/// and optimizers keep their state even if recording throws.
class GraphEpoch {
 public:
  /// `is_by_step`: each replay is one step, and has its own time stamp.
  GraphEpoch(Steps& steps, const ResidentSplit& train, Device& device, BlockStamps& stamps,
             bool is_by_step = false);

  /// Queues one epoch in a fresh random order. Does not wait for the device.
  void queue(const OnSteps& on_steps);

  /// Queues the first recording of an epoch and returns its number of steps. Does not wait for the device.
  std::int64_t queue_part();

  /// Returns e.g. "391 steps in one graph".
  std::string description() const;

 private:
  void begin();
  double warm_up();
  void run_step(const at::Tensor& order, std::int64_t first, std::int64_t count);
  void record(Device& device, bool is_by_step);

  Steps& steps_;
  const ResidentSplit& train_;
  BlockStamps& stamps_;
  GraphShape shape_;
  at::Tensor order_;     // Order of all samples; refreshed in place.
  at::Tensor lanes_;     // 0, 1, ... for the samples of a block.
  at::Tensor position_;  // Position of the next block; each block advances it.
  // One step. The others share its memory, since they never run at the same time.
  std::unique_ptr<RecordedWork> first_;
  std::unique_ptr<RecordedWork> block_;
  std::unique_ptr<RecordedWork> tail_;
};

/// Moves the model to the device; call it before the optimizer is made. Parameters become `format.type`,
/// except in normalizations, whose statistics need fp32. Weights of convolutions get the format's strides.
void to_device(Model& model, c10::Device device, const InputFormat& format);

/// Returns whether the strides of the parameter depend on the layout.
inline bool is_convolution_weight(const at::Tensor& parameter) { return parameter.dim() == 4; }

/// Objects that run a case, in the order in which a user's own script would make them.
struct Session {
  std::unique_ptr<RankGroup> ranks;  ///< Null if this process trains alone. Outlives the rest.
  std::shared_ptr<Model> model;
  std::unique_ptr<GradientExchange> exchange;  ///< Null if this process trains alone.
  std::unique_ptr<BatchSource> source;         ///< Batches of the training split.
  ResidentSplit* train = nullptr;              ///< Same object as `source`; null unless loader resident.
  std::optional<ResidentSplit> validation;     ///< Set for protocol fit only.
  std::unique_ptr<Steps> steps;
  std::unique_ptr<BlockStamps> stamps;
  std::unique_ptr<GraphEpoch> graph;  ///< Recorded epoch; null in eager execution.
  InputFormat format;
  Choice<Execution> execution{Execution::kEager, {}};
  Choice<Layout> layout{Layout::kNchw, {}};
  Device* waits_for = nullptr;  ///< Device to wait for after each step; null: steps are only queued.
  Seconds setup;                ///< Time of build, transfer, optimizer and recording.

  RankShare share() const { return ranks ? ranks->share() : RankShare{}; }

  /// Queues an epoch with its time stamps. Does not wait for the device.
  void queue_epoch(CaseMonitor& monitor) const;

  /// Continues eagerly and frees the memory of the recorded epoch, if any.
  void drop_graph(Device& device);

  /// Queues a single step on this rank's share of the first `samples` samples of the training split.
  void queue_step(std::int64_t samples);

  /// Queues the next step of epochs without a short last batch. Does not wait for the device.
  void queue_full_step();
  std::int64_t left = 0;  ///< Samples left in the epoch of queue_full_step().
};

/// Joins other ranks, seeds, builds the model, moves it and the data, and records an epoch if needed. Layout
/// `auto` must be resolved (Case::tried). Throws Unsupported for an unsupported mode, and LostConnection.
Session open_session(const Case& c, const Dataset& dataset, Timeline& timeline, CaseMonitor& monitor);
/// Opens a session without other ranks, for trials.
Session open_session(const Case& c, const Dataset& dataset, Device& device, const Clock& clock);

}  // namespace gpubench
