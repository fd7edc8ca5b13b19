#pragma once
// A case on its device: the model, its data and its trainer, and the phases of its time.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/plan.h"
#include "engine/timing/timing.h"
#include "engine/training/graph_epoch.h"
#include "engine/training/input/batch_source.h"
#include "engine/training/trainer.h"
#include "gpubench/dataset.h"
#include "gpubench/model.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Times the phases of a case, each in a window of its own, and keeps them in order. Starts when it is made.
/// Device, clock and `phases` outlive it.
class Timeline {
 public:
  Timeline(Device& device, const Clock& clock, std::vector<Phase>& phases)
      : device_(device), clock_(clock), phases_(phases), origin_(clock.now()) {}

  /// When it was made, on its clock.
  Seconds origin() const { return origin_; }

  /// Runs `work` in a timed window, notes the phase and returns how long it took.
  template <class Work>
  Seconds time(std::string name, Work&& work) {
    phases_.push_back(measure(std::move(name), std::forward<Work>(work)));
    return phases_.back().duration;
  }

  /// The same, for whoever notes the phase.
  template <class Work>
  Phase measure(std::string name, Work&& work) const {
    const Seconds start = clock_.now() - origin_;
    TimedWindow window(device_, clock_);
    work();
    return {std::move(name), start, window.close()};
  }

 private:
  Device& device_;
  const Clock& clock_;
  std::vector<Phase>& phases_;
  Seconds origin_;
};

/// Moves the model. Floating-point parameters become `format.type`, but for those of normalisations, whose
/// running statistics need fp32; weights of convolutions get the strides that the format says. Call it before
/// the optimiser is made.
void to_device(Model& model, c10::Device device, const InputFormat& format);

/// Whether it is one whose strides depend on the layout.
bool is_convolution_weight(const at::Tensor& parameter);

/// What a case works with. Made in the order in which a user's own script would make it.
struct Session {
  std::unique_ptr<RankGroup> ranks;  ///< Null where nobody else trains with this process. Outlives the rest.
  std::shared_ptr<Model> model;
  std::unique_ptr<GradientExchange> exchange;  ///< Null likewise.
  std::unique_ptr<BatchSource> source;         ///< Of the training split.
  ResidentSplit* train = nullptr;              ///< The source itself; loader resident only.
  std::optional<ResidentSplit> validation;     ///< Resident for protocol fit only.
  std::unique_ptr<Trainer> trainer;
  std::unique_ptr<BlockStamps> stamps;
  std::unique_ptr<GraphEpoch> graph;  ///< Where epochs are replayed instead of queued step by step.
  InputFormat format;
  Choice<Execution> execution{Execution::kEager, {}};
  Choice<Layout> layout{Layout::kNchw, {}};
  Seconds setup;  ///< Build, transfer, optimiser and recording together.

  /// Queues an epoch in the session's mode of execution, with its time stamps. Does not wait for the device.
  void queue_epoch(CaseMonitor& monitor) const;

  /// Goes on eagerly, with the memory that the recorded epoch had. Does nothing where there is none.
  void drop_graph(Device& device);

  /// Queues a step, by itself, on this rank's share of the first samples of the training split, at most
  /// `samples` of them.
  void queue_step(std::int64_t samples) const;
};

/// Full steps as epochs make them, one by one, where what is learnt does not matter. The session outlives it.
class FullSteps {
 public:
  explicit FullSteps(const Session& session) : session_(session) {}

  /// Queues the next one. Does not wait for the device.
  void queue();

 private:
  const Session& session_;
  std::int64_t left_ = 0;  // Samples of the epoch.
};

/// Joins the case's other ranks, sets LibTorch's switches for the case, seeds it, builds the model, moves it
/// and the data to the device, makes the optimiser's state and records an epoch where that is the mode.
/// Layout `auto` has been settled (Case::tried). Throws Unsupported where device and modes do not go
/// together, and LostConnection.
Session open_session(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                     Timeline& timeline, CaseMonitor& monitor);
/// The same with nobody to watch, and without other ranks.
Session open_session(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                     Timeline& timeline);

}  // namespace gpubench
