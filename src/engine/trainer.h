#pragma once
// Trains and evaluates one model on resident data. Knows nothing of time.

#include <memory>
#include <string>
#include <vector>

#include "engine/optimizer.h"
#include "engine/resident_split.h"
#include "gpubench/engine/case_monitor.h"
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
  void queue_epoch(const ResidentSplit& train, CaseMonitor& monitor);

  /// Queues one step on the first samples of `train`, for a trial.
  void queue_step(const ResidentSplit& train);

  /// Mean of each metric over the samples of the last queued epoch. Waits for the device.
  std::vector<double> epoch_metrics() const;

  /// Mean of each metric over the first batch of all, at the initial parameters. Waits for the device; call
  /// it after an epoch.
  std::vector<double> first_step_metrics() const;

  std::int64_t trained_steps() const { return trained_steps_; }
  std::int64_t trained_samples() const { return trained_samples_; }

  /// Mean of each metric over `split`, in evaluation mode. Waits for the device.
  std::vector<double> evaluate(const ResidentSplit& split);

  /// Recipes and kernels of all groups: "adam (fused)".
  std::string optimizer_description() const;

 private:
  class EagerStep;

  void train_on(const Batch& batch);
  std::vector<double> means(const at::Tensor& sums, std::int64_t samples) const;

  Model& model_;
  std::int64_t batch_size_;
  std::unique_ptr<EagerStep> step_;
  at::Tensor sums_;             // Metric sums of the epoch, on the device.
  at::Tensor first_step_sums_;  // Of the first step of all.
  std::int64_t samples_ = 0;    // Of the epoch.
  std::int64_t first_step_samples_ = 0;
  std::int64_t trained_steps_ = 0;
  std::int64_t trained_samples_ = 0;
};

}  // namespace gpubench
