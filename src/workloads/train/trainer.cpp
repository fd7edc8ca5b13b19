#include "workloads/train/trainer.h"

#include <algorithm>
#include <utility>

#include <ATen/ceil_div.h>
#include <ATen/record_function.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/rnn.h>

#include "engine/torch/failure.h"
#include "engine/validation/plausibility.h"
#include "gpubench/core/collect.h"
#include "workloads/profile/sums.h"

namespace gpubench {

MetricTable::MetricTable(const Model& model, c10::Device device)
    : model_(model), next_row_(at::zeros({1}, at::TensorOptions(device).dtype(at::kLong))) {}

void MetricTable::clear(std::int64_t batches) {
  unscored_.clear();
  next_row_.zero_();
  const std::int64_t room = std::max(batches, kScoredTogether);
  if (rows_.defined() && rows_.size(0) >= room) {
    rows_.zero_();
  } else {
    const auto metrics = static_cast<std::int64_t>(model_.metrics().size());
    rows_ = at::zeros({room, metrics}, next_row_.options().dtype(at::kFloat));
  }
}

void MetricTable::add(Results results, std::int64_t samples) {
  if (samples != unscored_samples_) score();
  unscored_samples_ = samples;
  unscored_.push_back(std::move(results));
  if (static_cast<std::int64_t>(unscored_.size()) == kScoredTogether) score();
}

void MetricTable::score() {
  if (unscored_.empty()) return;
  const auto batches = static_cast<std::int64_t>(unscored_.size());
  Results stacked;
  for (std::size_t i = 0; i < unscored_.front().size(); ++i)
    stacked.push_back(at::stack(mapped(unscored_, [i](const Results& results) { return results[i]; })));
  const at::Tensor sums = model_.score(stacked, unscored_samples_);
  const at::Tensor numbers = at::arange(batches, next_row_.options()).add_(next_row_);
  // The sums of an fp64 model are fp64.
  rows_.index_add_(0, numbers.remainder_(rows_.size(0)), sums.to(rows_.scalar_type()));
  next_row_.add_(batches);
  unscored_.clear();
}

std::vector<double> MetricTable::sums() const {
  const at::Tensor host = rows_.to(at::kCPU);
  const auto values = host.accessor<float, 2>();
  std::vector<double> sums;
  for (std::int64_t metric = 0; metric < values.size(1); ++metric) {
    float sum = 0;
    for (std::int64_t row = 0; row < values.size(0); ++row) sum += values[row][metric];
    sums.push_back(sum);
  }
  return sums;
}

Trainer::Trainer(Model& model, const TrainPoint& asked, c10::Device device, GradientExchange* exchange)
    : Steps(model, asked, device),
      numerics_(find_numerics(asked.mode.precision)),
      exchange_(exchange),
      metrics_(model, device),
      first_step_(model, device) {
  first_step_.clear(1);
  if (numerics_.is_loss_scaled) scaler_.emplace(device);
  if (asked.accumulate > 1 && model.parameter_groups().size() > 1)
    throw Unsupported("--accumulate: needs a model with a single optimizer; leave it out");
  for (ParameterGroup& group : model.parameter_groups()) {
    if (asked.learning_rate > 0) group.recipe = with_learning_rate(group.recipe, asked.learning_rate);
    optimizers_.push_back(make_optimizer(group, device, scaler_ ? &*scaler_ : nullptr));
  }
}

/// One micro-batch of a step.
class Trainer::OptimizerStep : public Step {
 public:
  /// `weight`: weight of this rank's gradients. `share`: share of the micro-batch in the loss of the step.
  OptimizerStep(Trainer& trainer, double weight, double share, bool is_first, bool is_last)
      : trainer_(trainer), weight_(weight), share_(share), is_first_(is_first), is_last_(is_last) {}

  at::Tensor minimise(std::size_t group, const std::function<at::Tensor()>& compute_loss) override {
    Optimizer& optimizer = *trainer_.optimizers_.at(group);
    GradientExchange* const exchange = trainer_.exchange_;
    if (is_first_) optimizer.clear_gradients();
    const at::Tensor loss = [&] {
      RECORD_USER_SCOPE(kForwardScope);
      const Autocast autocast(trainer_.device_.type(), trainer_.numerics_.autocast);
      return compute_loss();
    }();
    const at::Tensor part = share_ == 1 ? loss : loss * share_;
    if (exchange && is_last_) exchange->open(group, weight_);
    {
      RECORD_USER_SCOPE(kBackwardScope);
      (trainer_.scaler_ ? trainer_.scaler_->scaled(part) : part).backward();
    }
    if (!is_last_) return loss.detach();
    if (exchange) exchange->close();
    RECORD_USER_SCOPE(kOptimizerScope);
    optimizer.step();
    return loss.detach();
  }

 private:
  Trainer& trainer_;
  double weight_;
  double share_;
  bool is_first_;
  bool is_last_;  // The optimizer updates after it.
};

void Trainer::begin_epoch(std::int64_t samples) {
  model_.train();
  if (exchange_) exchange_->begin_epoch();
  metrics_.clear(at::ceil_div(samples, batch_size()));
  samples_ = samples;
}

void Trainer::run_step(const Batch& batch, std::int64_t all_samples) {
  const std::int64_t samples = batch.inputs.size(0);
  const double weight =
      model_.sums_losses() ? 1 : static_cast<double>(samples) / static_cast<double>(all_samples);
  const bool is_first_step = first_step_samples_ == 0;
  if (is_first_step) first_step_samples_ = all_samples;
  const std::int64_t parts = std::min(asked_.accumulate, samples);
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t first = samples * part / parts;
    const std::int64_t count = samples * (part + 1) / parts - first;
    const double share = model_.sums_losses() ? 1 : static_cast<double>(count) / static_cast<double>(samples);
    OptimizerStep step(*this, weight, share, part == 0, part + 1 == parts);
    Results results = model_.train_step(
        parts == 1 ? batch
                   : Batch{batch.inputs.narrow(0, first, count), batch.targets.narrow(0, first, count)},
        step);
    if (is_first_step) first_step_.add(results, count);
    metrics_.add(std::move(results), count);
  }
}

std::vector<double> Trainer::compute_means(const MetricTable& metrics, std::int64_t samples) const {
  std::vector<double> sums = metrics.sums();
  if (exchange_) sums = exchange_->ranks().sums(std::move(sums));
  return mapped(sums, [samples](double sum) { return sum / static_cast<double>(samples); });
}

std::vector<double> Trainer::evaluate(const ResidentSplit& split) {
  const at::NoGradGuard no_grad;
  const Autocast autocast(split.device().type(), numerics_.autocast);
  model_.eval();
  MetricTable metrics(model_, split.device());
  metrics.clear(at::ceil_div(split.size(), batch_size()));
  for (std::int64_t first = 0; first < split.size(); first += batch_size()) {
    const std::int64_t count = std::min(batch_size(), split.size() - first);
    const std::int64_t own = share().size(count);
    if (own > 0) metrics.add(model_.evaluate(split.slice(first + share().first(count), own)), own);
  }
  metrics.score();
  return compute_means(metrics, split.size());
}

std::string Trainer::find_fault(const NamedSeries& training, bool has_changed) {
  return has_changed ? standstill(training.front().second) : "training changed no parameter";
}

std::string Trainer::optimizer_description() const {
  return join(mapped(optimizers_, &Optimizer::description), " + ");
}

std::vector<at::Tensor> Trainer::state() const {
  std::vector<at::Tensor> all = model_.parameters();
  append(all, model_.buffers());
  if (scaler_) append(all, scaler_->state());
  for (const auto& optimizer : optimizers_) append(all, optimizer->state());
  return all;
}

void switch_dropout_off(Model& model) {
  model.eval();
  for (const auto& module : model.modules(/*include_self=*/false)) {
    // cuDNN computes gradients of recurrent layers in training mode only.
    if (module->as<torch::nn::BatchNorm2d>() != nullptr || module->as<torch::nn::LSTM>() != nullptr)
      module->train();
  }
}

std::unique_ptr<Steps> make_train_steps(Model& model, const TrainPoint& asked, c10::Device device,
                                        GradientExchange* exchange) {
  return std::make_unique<Trainer>(model, asked, device, exchange);
}

}  // namespace gpubench
