#pragma once
// Trains and evaluates one model on resident data. Knows nothing of time.

#include <memory>
#include <string>
#include <vector>

#include "engine/optimizer.h"
#include "engine/resident_split.h"
#include "gpubench/engine/progress.h"
#include "gpubench/model.h"

namespace gpubench {

/// Runs the steps of one model. `model` is on the device of the data already and outlives the trainer.
class Trainer {
 public:
  /// `learning_rate` replaces that of every recipe where it is above 0.
  Trainer(Model& model, std::int64_t batch_size, double learning_rate, c10::Device device);
  ~Trainer();

  /// Queues one epoch over `train` in a fresh random order, the short last batch included. Does not wait for
  /// the device.
  void queue_epoch(const ResidentSplit& train, Progress& progress);

  /// Mean of each metric over the samples of the last queued epoch. Waits for the device.
  std::vector<double> epoch_metrics() const;

  /// Mean of each metric over `split`, in evaluation mode. Waits for the device.
  std::vector<double> evaluate(const ResidentSplit& split);

  /// Recipes and kernels of all groups: "adam (fused)".
  std::string optimizer_description() const;

 private:
  class EagerStep;

  std::vector<double> means(const at::Tensor& sums, std::int64_t samples) const;

  Model& model_;
  std::int64_t batch_size_;
  std::unique_ptr<EagerStep> step_;
  at::Tensor sums_;  // Metric sums of the epoch, on the device.
  std::int64_t samples_ = 0;
};

}  // namespace gpubench
