#pragma once
// A case on its device: the model, its data and its trainer.

#include <memory>
#include <optional>

#include "engine/timeline.h"
#include "engine/trainer.h"
#include "gpubench/dataset.h"
#include "gpubench/engine/plan.h"
#include "gpubench/model.h"

namespace gpubench {

/// What a case works with. Made in the order in which a user's own script would make it.
struct Session {
  std::shared_ptr<Model> model;
  std::optional<ResidentSplit> train;
  std::optional<ResidentSplit> validation;  ///< Resident for protocol fit only.
  std::unique_ptr<Trainer> trainer;
  Seconds setup;  ///< Build, transfer and optimiser together.
};

/// The split that protocol fit validates on: validation, or test where the dataset has none.
const Split& fit_validation_split(const Dataset& dataset);

/// Seeds LibTorch, builds the model, moves it and the data to the device and makes the optimiser's state.
Session open_session(const Case& c, const Dataset& dataset, Device& device, Timeline& timeline);

}  // namespace gpubench
