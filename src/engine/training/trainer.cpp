#include "engine/training/trainer.h"

#include <algorithm>
#include <span>

#include <ATen/ops/zeros.h>

#include "engine/training/cost/profile.h"
#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

at::Tensor zero_sums(const Model& model, c10::Device device) {
  const auto count = static_cast<std::int64_t>(model.metrics().size());
  return at::zeros({count}, at::TensorOptions(device).dtype(at::kFloat));
}

/// Waits for the device.
std::vector<double> means(const at::Tensor& sums, std::int64_t samples) {
  const at::Tensor host = sums.to(at::kCPU);
  const std::span sum_of(host.const_data_ptr<float>(), static_cast<std::size_t>(host.numel()));
  return mapped(sum_of, [&](float sum) { return sum / static_cast<double>(samples); });
}

}  // namespace

Trainer::Trainer(Model& model, const TrainerOptions& options, c10::Device device)
    : model_(model), options_(options), device_(device), sums_(zero_sums(model, device)) {
  if (options.numerics.is_loss_scaled) scaler_.emplace(device);
  for (ParameterGroup& group : model.parameter_groups()) {
    if (options.learning_rate > 0) group.recipe = with_learning_rate(group.recipe, options.learning_rate);
    optimizers_.push_back(make_optimizer(group, device, scaler_ ? &*scaler_ : nullptr));
  }
}

at::Tensor Trainer::minimise(std::size_t group, const std::function<at::Tensor()>& loss_of) {
  Optimizer& optimizer = *optimizers_.at(group);
  optimizer.clear_gradients();
  const at::Tensor loss = forward(loss_of);
  backward(loss);
  const StepScope scope(kOptimizerScope);
  optimizer.step();
  return loss.detach();
}

at::Tensor Trainer::forward(const std::function<at::Tensor()>& loss_of) const {
  const StepScope scope(kForwardScope);
  const Autocast autocast(device_.type(), options_.numerics.autocast);
  return loss_of();
}

void Trainer::backward(const at::Tensor& loss) const {
  const StepScope scope(kBackwardScope);
  (scaler_ ? scaler_->scaled(loss) : loss).backward();
}

void Trainer::queue_epoch(BatchSource& source, CaseMonitor& monitor) {
  const std::int64_t samples = source.size();
  begin_epoch(samples);
  source.begin_epoch();
  for (std::int64_t first = 0; first < samples; first += batch_size()) {
    queue_next(source, std::min(batch_size(), samples - first));
    monitor.steps_finished(1);
  }
  end_epoch();
}

void Trainer::queue_next(BatchSource& source, std::int64_t count) {
  const auto batch = [&] {
    const StepScope scope(kInputScope);
    return source.next(count);
  }();
  train_on(batch);
}

void Trainer::begin_epoch(std::int64_t samples) {
  model_.train();
  sums_.zero_();
  samples_ = samples;
}

void Trainer::train_on(const Batch& batch) {
  const at::Tensor sums = model_.train_step(batch, *this);
  sums_.add_(sums);
  if (first_step_sums_.defined()) return;
  first_step_sums_ = sums;
  first_step_samples_ = batch.inputs.size(0);
}

void Trainer::end_epoch() {
  for (const auto& optimizer : optimizers_) optimizer->end_epoch();
}

std::vector<double> Trainer::epoch_metrics() const { return means(sums_, samples_); }

std::vector<double> Trainer::first_step_metrics() const {
  return means(first_step_sums_, first_step_samples_);
}

std::int64_t Trainer::trained_steps() const { return optimizers_.front()->steps_made(); }

std::vector<double> Trainer::evaluate(const ResidentSplit& split) {
  const at::NoGradGuard no_grad;
  const Autocast autocast(split.device().type(), options_.numerics.autocast);
  model_.eval();
  at::Tensor sums = zero_sums(model_, split.device());
  for (std::int64_t first = 0; first < split.size(); first += batch_size()) {
    sums.add_(model_.evaluate(split.slice(first, std::min(batch_size(), split.size() - first))));
  }
  return means(sums, split.size());
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

}  // namespace gpubench
