#pragma once
// Trains and evaluates one model. Knows nothing of time.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/case_monitor.h"
#include "engine/group/rank_group.h"
#include "engine/training/input/resident_split.h"
#include "engine/training/metric_table.h"
#include "engine/training/optimizer/optimizer.h"
#include "gpubench/model.h"

namespace gpubench {

/// How a trainer trains.
struct TrainerOptions {
  std::int64_t batch_size = 0;
  double learning_rate = 0;  ///< Replaces that of every recipe where it is above 0.
  Numerics numerics = {};
  GradientExchange* exchange = nullptr;  ///< With other ranks; outlives the trainer. Null: there are none.
};

/// Runs the steps of one model, one by one or while they are recorded. `model` is on the device and of the
/// numerics' type already, and outlives the trainer.
class Trainer : private Step {
 public:
  Trainer(Model& model, const TrainerOptions& options, c10::Device device);
  ~Trainer() override = default;

  std::int64_t batch_size() const { return options_.batch_size; }

  /// Queues one epoch of `source` in a fresh random order, the short last batch included. Does not wait for
  /// the device.
  void queue_epoch(BatchSource& source, CaseMonitor& monitor);

  /// Queues a step on the next `count` samples of an epoch of `source` that has begun: on this rank's share.
  void queue_next(BatchSource& source, std::int64_t count);

  /// The parts of an epoch, for who queues it otherwise: clears the sums of an epoch of `samples` samples,
  void begin_epoch(std::int64_t samples);
  /// queues a step, the same in every mode of execution; `batch` is this rank's share of `samples` samples,
  void train_on(const Batch& batch, std::int64_t samples);
  void train_on(const Batch& batch) { train_on(batch, batch.inputs.size(0)); }
  /// queues what is left of the scoring of these, after the last step, or of those that are recorded
  /// together,
  void score_steps() { metrics_.score(); }
  /// and lets learning rates decay. For whole epochs, after all their steps; it is not to be recorded.
  void end_epoch();

  /// Mean of each metric over the samples of the last queued epoch, of all ranks. Waits for the device.
  std::vector<double> epoch_metrics();

  /// Mean of each metric over the first batch of all, at the initial parameters. Waits for the device; call
  /// it after an epoch.
  std::vector<double> first_step_metrics() const;

  /// Updates of the first group of parameters, as its optimiser counts them. Waits for the device.
  std::int64_t trained_steps() const;

  /// Mean of each metric over `split`, in evaluation mode, each rank on its share of every batch. Waits for
  /// the device.
  std::vector<double> evaluate(const ResidentSplit& split);

  /// Recipes and kernels of all groups: "adam (fused)".
  std::string optimizer_description() const;

  /// Lets go of the memory of the last step: gradients, and what its metrics are made of.
  void discard_step();

  /// Every tensor that a step changes: parameters, running statistics, what the optimisers keep.
  std::vector<at::Tensor> state() const;

 private:
  at::Tensor minimise(std::size_t group, const std::function<at::Tensor()>& compute_loss) override;
  std::vector<double> compute_means(const MetricTable& metrics, std::int64_t samples) const;
  RankShare share() const;
  at::Tensor forward(const std::function<at::Tensor()>& compute_loss) const;
  void backward(const at::Tensor& loss) const;

  Model& model_;
  TrainerOptions options_;
  c10::Device device_;
  std::optional<LossScaler> scaler_;
  std::vector<std::unique_ptr<Optimizer>> optimizers_;  // One a group.
  MetricTable metrics_;                                 // Of the epoch.
  Results first_step_;                                  // Of all.
  std::int64_t samples_ = 0;                            // Of the epoch.
  double weight_ = 1;                                   // Of this rank's gradients in the step.
  std::int64_t first_step_samples_ = 0;
  std::int64_t first_step_of_all_ = 0;  // Samples of all ranks.
};

}  // namespace gpubench
