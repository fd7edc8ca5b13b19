#pragma once
// Trains and evaluates one model. Independent of time.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/case_monitor.h"
#include "engine/group/rank_group.h"
#include "engine/training/input/batch_source.h"
#include "engine/training/metric_table.h"
#include "engine/training/optimizer/optimizer.h"
#include "gpubench/model.h"
#include "gpubench/record/train_point.h"

namespace gpubench {

struct TrainerOptions {
  TrainPoint asked = {};
  Numerics numerics = {};
  GradientExchange* exchange = nullptr;  ///< With other ranks, if any; outlives the trainer.
};

inline TrainPoint make_step_point(std::int64_t batch_size, double learning_rate = 0) {
  TrainPoint point;
  point.batch_size = batch_size;
  point.learning_rate = learning_rate;
  return point;
}

/// Called with the number of steps that were queued since the last call.
using OnSteps = std::function<void(std::int64_t count)>;

/// `model` is on the device, has the type of the numerics, and outlives the trainer.
class Trainer {
 public:
  Trainer(Model& model, const TrainerOptions& options, c10::Device device);

  std::int64_t batch_size() const { return options_.asked.batch_size; }

  /// Queues one epoch in random order, with the short last batch. Does not wait for the device.
  void queue_epoch(BatchSource& source, const OnSteps& on_steps);

  /// Queues a step on this rank's share of the next `count` samples of the current epoch of `source`.
  void queue_next(BatchSource& source, std::int64_t count);

  /// Clears the sums of metrics for an epoch of `samples` samples.
  void begin_epoch(std::int64_t samples);
  /// Queues a step; `batch` is this rank's share of `samples` samples.
  void train_on(const Batch& batch, std::int64_t samples);
  void train_on(const Batch& batch) { train_on(batch, batch.inputs.size(0)); }
  /// Queues the rest of the scoring, after the last step of an epoch or of a recording.
  void score_steps() { metrics_.score(); }
  /// Lets learning rates decay, after all steps of an epoch; must not be recorded.
  void end_epoch();

  /// Returns the mean of each metric over the last queued epoch of all ranks. Waits for the device.
  std::vector<double> epoch_metrics();

  /// Returns the metrics of the very first batch, at the initial parameters. Waits for the device.
  std::vector<double> first_step_metrics();

  /// Returns the updates of the first group of parameters. Waits for the device.
  std::int64_t trained_steps() const;

  /// Evaluates `split`, each rank on its share of every batch. Waits for the device.
  std::vector<double> evaluate(const ResidentSplit& split);

  /// Describes recipes and kernels of all groups: "adam (fused)".
  std::string optimizer_description() const;

  /// Frees the memory of the last step: gradients and unscored results.
  void discard_step();

  /// Returns every tensor that a step changes: parameters, running statistics, state of the optimisers.
  std::vector<at::Tensor> state() const;

 private:
  class OptimizerStep;

  std::vector<double> compute_means(const MetricTable& metrics, std::int64_t samples) const;
  RankShare share() const;

  Model& model_;
  TrainerOptions options_;
  c10::Device device_;
  std::optional<LossScaler> scaler_;
  std::vector<std::unique_ptr<Optimizer>> optimizers_;  // One a group.
  MetricTable metrics_;                                 // Of the epoch.
  MetricTable first_step_;
  std::int64_t first_step_samples_ = 0;  // Of all ranks.
  std::int64_t samples_ = 0;             // Of the epoch.
};

}  // namespace gpubench
