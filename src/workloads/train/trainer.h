#pragma once
// Trains and evaluates one model, without timing.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/group/rank_group.h"
#include "gpubench/model.h"
#include "gpubench/record/points.h"
#include "workloads/train/input/batch_source.h"
#include "workloads/train/optimizer/optimizer.h"

namespace gpubench {

/// Metric sums on the device, a row per batch. Scores several batches at once, since scoring each batch takes
/// a fifth of a small network's step. All work is queued, and may be recorded in parts that end with score().
class MetricTable {
 public:
  /// The model must outlive the table.
  MetricTable(const Model& model, c10::Device device);

  /// Clears the table for `batches` batches, if possible in the same memory. Further batches share rows.
  void clear(std::int64_t batches);
  void add(Results results, std::int64_t samples);
  /// Scores the batches added since the last call.
  void score();
  void drop_unscored() { unscored_.clear(); }

  /// Returns each metric summed over all rows in order, in fp32. Waits for the device.
  std::vector<double> sums() const;

 private:
  const Model& model_;
  at::Tensor rows_;
  at::Tensor next_row_;  // Index on the device, so that each replay fills new rows.
  std::vector<Results> unscored_;
  std::int64_t unscored_samples_ = 0;  // Samples in each of unscored_.
};

/// Called with the number of steps queued since the last call.
using OnSteps = std::function<void(std::int64_t count)>;

/// Trains with the batch size, learning rate, accumulation and precision of a TrainPoint. `model` must be on
/// the device in the type of the precision. `model` and `exchange` must outlive the trainer.
class Trainer {
 public:
  Trainer(Model& model, const TrainPoint& asked, c10::Device device, GradientExchange* exchange = nullptr);

  std::int64_t batch_size() const { return asked_.batch_size; }

  /// Queues one epoch in random order, including the short last batch. Does not wait for the device.
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
  /// Decays learning rates after all steps of an epoch. Must not be recorded.
  void end_epoch();

  /// Returns the mean of each metric over the last queued epoch of all ranks. Waits for the device.
  std::vector<double> epoch_metrics();

  /// Returns the metrics of the first batch of the training, with the initial parameters. Waits for the
  /// device.
  std::vector<double> first_step_metrics();

  /// Returns the number of updates of the first parameter group. Waits for the device.
  std::int64_t trained_steps() const { return optimizers_.front()->steps_made(); }

  /// Evaluates `split`, each rank on its share of every batch. Waits for the device.
  std::vector<double> evaluate(const ResidentSplit& split);

  std::string optimizer_description() const;

  /// Frees the memory of the last step: gradients and unscored results.
  void discard_step();

  /// Returns all tensors that a step changes: parameters, running statistics, state of the optimizers.
  std::vector<at::Tensor> state() const;

 private:
  class OptimizerStep;

  std::vector<double> compute_means(const MetricTable& metrics, std::int64_t samples) const;
  RankShare share() const { return exchange_ ? exchange_->ranks().share() : RankShare{}; }

  Model& model_;
  TrainPoint asked_;
  Numerics numerics_;
  c10::Device device_;
  GradientExchange* exchange_;
  std::optional<LossScaler> scaler_;
  std::vector<std::unique_ptr<Optimizer>> optimizers_;  // One per parameter group.
  MetricTable metrics_;                                 // Metrics of the epoch.
  MetricTable first_step_;
  std::int64_t first_step_samples_ = 0;  // Samples of the first step, over all ranks.
  std::int64_t samples_ = 0;             // Samples of the epoch, over all ranks.
};

}  // namespace gpubench
