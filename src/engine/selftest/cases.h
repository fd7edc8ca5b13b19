#pragma once
// Small trainings of the catalog's models, for checks that hold one way of training against another.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/selftest/check.h"
#include "engine/sweep/pilots.h"
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

/// Trains on the subject's device, or on `device`, which stands before it.
CaseRecord train(Subject& subject, const SmallTraining& training);
CaseRecord train(Subject& subject, const SmallTraining& training, Device& device);

/// The largest batch that fits, and a training.
struct LargestBatch {
  MaxBatch found;
  CaseRecord record;
};

/// Searches for the largest batch of the training as --find-max-batch does, and trains with such a part of
/// it, where there is one.
LargestBatch train_largest_batch(Subject& subject, const SmallTraining& training, double share);

/// The loss of each epoch. Throws a device Error, with the row's reason, where it did not end well.
std::vector<double> losses_of(const CaseRecord& record);

/// The largest relative difference between two series; infinite where one is longer or not finite.
double largest_difference(const std::vector<double>& found, const std::vector<double>& expected);

/// How a training in `mode` differs from one in `other`: a row that passes where their losses are at most
/// `tolerance` apart, and is unchecked where the device does not train so.
CheckRow compared_modes(Subject& subject, const std::string& model, const TrainingMode& mode,
                        const TrainingMode& other, double tolerance);

}  // namespace gpubench
