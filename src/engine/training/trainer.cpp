#include "engine/training/trainer.h"

#include <algorithm>
#include <utility>

#include <ATen/core/grad_mode.h>

#include "engine/torch/failure.h"
#include "engine/training/cost/profile.h"
#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

std::int64_t count_batches(std::int64_t samples, std::int64_t batch_size) {
  return (samples + batch_size - 1) / batch_size;
}

Batch slice(const Batch& batch, std::int64_t first, std::int64_t count) {
  return {batch.inputs.narrow(0, first, count), batch.targets.narrow(0, first, count)};
}

}  // namespace

Trainer::Trainer(Model& model, const TrainerOptions& options, c10::Device device)
    : model_(model), options_(options), device_(device), metrics_(model, device), first_step_(model, device) {
  first_step_.clear(1);
  if (options.numerics.is_loss_scaled) scaler_.emplace(device);
  if (options.asked.accumulate > 1 && model.parameter_groups().size() > 1)
    throw Unsupported("--accumulate: needs a model with a single optimizer; leave it out");
  for (ParameterGroup& group : model.parameter_groups()) {
    const double rate = options.asked.learning_rate;
    if (rate > 0) group.recipe = with_learning_rate(group.recipe, rate);
    optimizers_.push_back(make_optimizer(group, device, scaler_ ? &*scaler_ : nullptr));
  }
}

/// A micro-batch of a step of a model's optimizers.
class Trainer::OptimizerStep : public Step {
 public:
  struct MicroBatch {
    double weight = 1;  ///< Of its loss in that of the step.
    bool is_first = true;
    bool is_last = true;  ///< The optimizer follows.
  };

  /// `weight` is that of this rank's gradients.
  OptimizerStep(Trainer& trainer, double weight, const MicroBatch& micro)
      : trainer_(trainer), weight_(weight), micro_(micro) {}

  at::Tensor minimise(std::size_t group, const std::function<at::Tensor()>& compute_loss) override {
    Optimizer& optimizer = *trainer_.optimizers_.at(group);
    GradientExchange* const exchange = trainer_.options_.exchange;
    if (micro_.is_first) optimizer.clear_gradients();
    const at::Tensor loss = [&] {
      const StepScope scope(kForwardScope);
      const Autocast autocast(trainer_.device_.type(), trainer_.options_.numerics.autocast);
      return compute_loss();
    }();
    const at::Tensor part = micro_.weight == 1 ? loss : loss * micro_.weight;
    if (exchange && micro_.is_last) exchange->open(group, weight_);
    {
      const StepScope scope(kBackwardScope);
      (trainer_.scaler_ ? trainer_.scaler_->scaled(part) : part).backward();
    }
    if (!micro_.is_last) return loss.detach();
    if (exchange) exchange->close();
    const StepScope scope(kOptimizerScope);
    optimizer.step();
    return loss.detach();
  }

 private:
  Trainer& trainer_;
  double weight_;
  MicroBatch micro_;
};

void Trainer::queue_epoch(BatchSource& source, const OnSteps& on_steps) {
  const std::int64_t samples = source.size();
  begin_epoch(samples);
  source.begin_epoch();
  for (std::int64_t first = 0; first < samples; first += batch_size()) {
    queue_next(source, std::min(batch_size(), samples - first));
    on_steps(1);
  }
  score_steps();
  end_epoch();
}

void Trainer::queue_next(BatchSource& source, std::int64_t count) {
  const auto batch = [&] {
    const StepScope scope(kInputScope);
    return source.next(count);
  }();
  train_on(batch, count);
}

void Trainer::begin_epoch(std::int64_t samples) {
  model_.train();
  if (options_.exchange) options_.exchange->begin_epoch();
  metrics_.clear(count_batches(samples, batch_size()));
  samples_ = samples;
}

void Trainer::train_on(const Batch& batch, std::int64_t all_samples) {
  const std::int64_t samples = batch.inputs.size(0);
  const double weight =
      model_.sums_losses() ? 1 : static_cast<double>(samples) / static_cast<double>(all_samples);
  const bool is_first_step = first_step_samples_ == 0;
  if (is_first_step) first_step_samples_ = all_samples;
  const std::int64_t parts = std::min(options_.asked.accumulate, samples);
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t first = samples * part / parts;
    const std::int64_t count = samples * (part + 1) / parts - first;
    const double share = model_.sums_losses() ? 1 : static_cast<double>(count) / static_cast<double>(samples);
    OptimizerStep step(*this, weight, {share, part == 0, part + 1 == parts});
    Results results = model_.train_step(parts == 1 ? batch : slice(batch, first, count), step);
    if (is_first_step) first_step_.add(results, count);
    metrics_.add(std::move(results), count);
  }
}

void Trainer::end_epoch() {
  for (const auto& optimizer : optimizers_) optimizer->end_epoch();
}

std::vector<double> Trainer::epoch_metrics() {
  score_steps();
  return compute_means(metrics_, samples_);
}

/// Adds up all ranks' sums of their own samples.
std::vector<double> Trainer::compute_means(const MetricTable& metrics, std::int64_t samples) const {
  std::vector<double> sums = metrics.sums();
  if (options_.exchange) sums = options_.exchange->ranks().sums(std::move(sums));
  return mapped(sums, [samples](double sum) { return sum / static_cast<double>(samples); });
}

RankShare Trainer::share() const {
  return options_.exchange ? options_.exchange->ranks().share() : RankShare{};
}

std::vector<double> Trainer::first_step_metrics() {
  first_step_.score();
  return compute_means(first_step_, first_step_samples_);
}

std::int64_t Trainer::trained_steps() const { return optimizers_.front()->steps_made(); }

std::vector<double> Trainer::evaluate(const ResidentSplit& split) {
  const at::NoGradGuard no_grad;
  const Autocast autocast(split.device().type(), options_.numerics.autocast);
  model_.eval();
  MetricTable metrics(model_, split.device());
  metrics.clear(count_batches(split.size(), batch_size()));
  for (std::int64_t first = 0; first < split.size(); first += batch_size()) {
    const std::int64_t count = std::min(batch_size(), split.size() - first);
    const std::int64_t own = share().size(count);
    if (own > 0) metrics.add(model_.evaluate(split.slice(first + share().first(count), own)), own);
  }
  metrics.score();
  return compute_means(metrics, split.size());
}

std::string Trainer::optimizer_description() const {
  return join(mapped(optimizers_, &Optimizer::description), " + ");
}

void Trainer::discard_step() {
  for (const auto& optimizer : optimizers_) optimizer->clear_gradients();
  metrics_.drop_unscored();
}

std::vector<at::Tensor> Trainer::state() const {
  std::vector<at::Tensor> all = model_.parameters();
  append(all, model_.buffers());
  if (scaler_) append(all, scaler_->state());
  for (const auto& optimizer : optimizers_) append(all, optimizer->state());
  return all;
}

}  // namespace gpubench
