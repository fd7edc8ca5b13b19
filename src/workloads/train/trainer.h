#pragma once
// Trains and evaluates one model. Independent of time.

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

/// A row of metric sums for each batch, on the device. Scoring each batch alone would take a fifth of a small
/// network's step. Everything is queued, and may be recorded, in parts that end with score().
class MetricTable {
 public:
  /// `model` outlives it.
  MetricTable(const Model& model, c10::Device device);

  /// Clears all rows for `batches` batches, in the same memory if large enough; further batches share rows.
  void clear(std::int64_t batches);
  void add(Results results, std::int64_t samples);
  /// Scores the batches that were added since the last call.
  void score();
  void drop_unscored() { unscored_.clear(); }

  /// Returns each metric summed over all rows, in their order, in fp32. Waits for the device.
  std::vector<double> sums() const;

 private:
  const Model& model_;
  at::Tensor rows_;
  at::Tensor next_row_;  // On the device, so that recorded work fills other rows in each replay.
  std::vector<Results> unscored_;
  std::int64_t unscored_samples_ = 0;  // Of each of them.
};

/// Called with the number of steps that were queued since the last call.
using OnSteps = std::function<void(std::int64_t count)>;

/// Trains with the batch size, learning rate, accumulation and precision that are asked for. `model` is on
/// the device, has the type of the precision, and outlives the trainer, as does `exchange`.
class Trainer {
 public:
  Trainer(Model& model, const TrainPoint& asked, c10::Device device, GradientExchange* exchange = nullptr);

  std::int64_t batch_size() const { return asked_.batch_size; }

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
  std::int64_t trained_steps() const { return optimizers_.front()->steps_made(); }

  /// Evaluates `split`, each rank on its share of every batch. Waits for the device.
  std::vector<double> evaluate(const ResidentSplit& split);

  std::string optimizer_description() const;

  /// Frees the memory of the last step: gradients and unscored results.
  void discard_step();

  /// Returns every tensor that a step changes: parameters, running statistics, state of the optimisers.
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
  std::vector<std::unique_ptr<Optimizer>> optimizers_;  // One a group.
  MetricTable metrics_;                                 // Of the epoch.
  MetricTable first_step_;
  std::int64_t first_step_samples_ = 0;  // Of all ranks.
  std::int64_t samples_ = 0;             // Of the epoch.
};

}  // namespace gpubench
