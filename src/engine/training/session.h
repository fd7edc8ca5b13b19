#pragma once
// A case on its device: the model, its data and its trainer.

#include <memory>
#include <optional>
#include <string>

#include "engine/plan/plan.h"
#include "engine/training/graph_epoch.h"
#include "engine/training/timeline.h"
#include "engine/training/trainer.h"
#include "gpubench/dataset.h"
#include "gpubench/model.h"

namespace gpubench {

/// What `auto` became, and why.
template <class Mode>
struct Choice {
  Mode used;
  std::string note;  ///< Empty where there is nothing to say.
};

/// What a case works with. Made in the order in which a user's own script would make it.
struct Session {
  std::shared_ptr<Model> model;
  std::unique_ptr<ResidentSplit> train;     ///< Loader resident only.
  std::unique_ptr<BatchSource> source;      ///< Batches of `train`, or out of host memory.
  std::optional<ResidentSplit> validation;  ///< Resident for protocol fit only.
  std::unique_ptr<Trainer> trainer;
  std::unique_ptr<GraphEpoch> graph;  ///< Where epochs are replayed instead of queued step by step.
  InputFormat format;
  Choice<Execution> execution{Execution::kEager, {}};
  Choice<Layout> layout{Layout::kNchw, {}};
  Seconds setup;  ///< Build, transfer, optimiser and recording together.

  /// Queues an epoch in the session's mode of execution. Does not wait for the device.
  void queue_epoch(CaseMonitor& monitor) const;

  /// Queues a step, by itself, on the first samples of the training split, at most `samples` of them.
  void queue_step(std::int64_t samples) const;
};

/// The split that protocol fit validates on: validation, or test where the dataset has none.
const Split& fit_validation_split(const Dataset& dataset);

/// Sets LibTorch's switches for the case, seeds it, builds the model, moves it and the data to the device,
/// makes the optimiser's state and records an epoch where that is the mode. Throws Unsupported where device
/// and modes do not go together.
Session open_session(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                     Timeline& timeline);

}  // namespace gpubench
