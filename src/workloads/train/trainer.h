#pragma once
// Steps of a training: forward and backward pass, optimizer and metrics.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workloads/steps/steps.h"
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
  // Number of batches scored at once: large enough for a negligible time, small enough for little memory.
  static constexpr std::int64_t kScoredTogether = 32;

  const Model& model_;
  at::Tensor rows_;
  at::Tensor next_row_;  // Index on the device, so that each replay fills new rows.
  std::vector<Results> unscored_;
  std::int64_t unscored_samples_ = 0;  // Samples in each of unscored_.
};

/// Switches dropout off. Other layers that need training mode keep it.
void switch_dropout_off(Model& model);

/// Trains by the parameters of a TrainPoint. `exchange` must outlive the trainer.
class Trainer : public Steps {
 public:
  Trainer(Model& model, const TrainPoint& asked, c10::Device device, GradientExchange* exchange = nullptr);

  void begin_epoch(std::int64_t samples) override;
  using Steps::run_step;
  void run_step(const Batch& batch, std::int64_t samples) override;
  void score_steps() override { metrics_.score(); }
  void end_epoch() override {
    for (const auto& optimizer : optimizers_) optimizer->end_epoch();
  }

  void discard_step() override {
    for (const auto& optimizer : optimizers_) optimizer->clear_gradients();
    metrics_.drop_unscored();
  }
  std::vector<at::Tensor> state() const override;
  void switch_dropout_off() override { gpubench::switch_dropout_off(model_); }

  std::vector<std::string> metrics() const override { return model_.metrics(); }
  /// Returns the mean of each metric over the last queued epoch of all ranks.
  std::vector<double> epoch_figures() override {
    score_steps();
    return compute_means(metrics_, samples_);
  }
  std::vector<double> first_step_metrics() override {
    first_step_.score();
    return compute_means(first_step_, first_step_samples_);
  }
  std::vector<double> evaluate(const ResidentSplit& split) override;

  std::int64_t trained_steps() const override { return optimizers_.front()->steps_made(); }
  std::string optimizer_description() const override;
  double learning_rate() const override {
    return find_learning_rate(model_.parameter_groups().front().recipe);
  }
  std::string find_fault(const NamedSeries& training, bool has_changed) override;

 private:
  class OptimizerStep;

  std::vector<double> compute_means(const MetricTable& metrics, std::int64_t samples) const;
  RankShare share() const { return exchange_ ? exchange_->ranks().share() : RankShare{}; }

  Numerics numerics_;
  GradientExchange* exchange_;
  std::optional<LossScaler> scaler_;
  std::vector<std::unique_ptr<Optimizer>> optimizers_;  // One per parameter group.
  MetricTable metrics_;                                 // Metrics of the epoch.
  MetricTable first_step_;
  std::int64_t first_step_samples_ = 0;  // Samples of the first step, over all ranks.
  std::int64_t samples_ = 0;             // Samples of the epoch, over all ranks.
};

}  // namespace gpubench
