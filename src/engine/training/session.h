#pragma once
// A case on its device: the model, its data and its trainer, and the phases of its time.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/plan.h"
#include "engine/training/graph_epoch.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Times the phases of a case, in order. Device, clock and `phases` outlive it.
class Timeline {
 public:
  Timeline(Device& device, const Clock& clock, std::vector<Phase>& phases)
      : device_(device), clock_(clock), phases_(phases), origin_(clock.now()) {}

  Seconds origin() const { return origin_; }

  /// Runs `work` in a timed window, notes the phase and returns how long it took.
  template <class Work>
  Seconds time(std::string name, Work work) {
    const Seconds start = clock_.now() - origin_;
    TimedWindow window(device_, clock_);
    work();
    phases_.push_back({std::move(name), start, window.close()});
    return phases_.back().duration;
  }

 private:
  Device& device_;
  const Clock& clock_;
  std::vector<Phase>& phases_;
  Seconds origin_;
};

/// Moves the model, before the optimizer is made. Parameters become `format.type`, except normalizations,
/// whose statistics need fp32; weights of convolutions get the format's strides.
void to_device(Model& model, c10::Device device, const InputFormat& format);

/// Leaves training mode to the layers that need it, all but dropout.
void switch_dropout_off(Model& model);

/// Returns whether the strides of the parameter depend on the layout.
bool is_convolution_weight(const at::Tensor& parameter);

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
