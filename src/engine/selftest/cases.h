#pragma once
// Small trainings for checks that compare one way of training with another.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/selftest/check.h"
#include "gpubench/model.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// A training on synthetic samples. With as many samples as a batch has, each epoch is one step on all of
/// them: then the order in which they are drawn makes no difference but rounding.
struct SmallTraining {
  std::string model;
  TrainingMode mode{.execution = Execution::kEager, .layout = Layout::kNchw};
  std::int64_t samples = 32;
  std::int64_t batch_size = 32;
  std::int64_t epochs = 5;
  std::int64_t seed = 1;
};

CaseRecord train(Subject& subject, const SmallTraining& training);

/// Returns the loss of each epoch. Throws a device Error, with the row's reason, where it did not end well.
std::vector<double> list_losses(const CaseRecord& record);

/// Returns the largest relative difference between two series; infinite where their lengths differ or one is
/// not finite.
double largest_difference(const std::vector<double>& found, const std::vector<double>& expected);

/// Compares the losses of `model` in two modes; unchecked where the device does not train so. `what` follows
/// the model's name in the row.
CheckRow compared_modes(Subject& subject, const std::string& model, const TrainingMode& mode,
                        const TrainingMode& other, const std::string& what);

/// Leaves training mode to the layers that need it, all but dropout.
void switch_dropout_off(Model& model);

}  // namespace gpubench
