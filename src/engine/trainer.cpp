#include "engine/trainer.h"

#include <algorithm>

#include <ATen/ops/randperm.h>
#include <ATen/ops/zeros.h>

namespace gpubench {

/// Runs each operation at once, in fp32.
class Trainer::EagerStep : public Step {
 public:
  EagerStep(const std::vector<ParameterGroup>& groups, c10::Device device) {
    const AdamKernel kernel = preferred_adam_kernel(device);
    for (const ParameterGroup& group : groups) optimizers_.push_back(make_adam(group, kernel));
  }

  at::Tensor minimise(std::size_t group, const std::function<at::Tensor()>& loss_of) override {
    Optimizer& optimizer = *optimizers_.at(group);
    optimizer.clear_gradients();
    const at::Tensor loss = loss_of();
    loss.backward();
    optimizer.step();
    return loss.detach();
  }

  std::string description() const {
    std::vector<std::string> names;
    for (const auto& optimizer : optimizers_) names.push_back(optimizer->description());
    return join(names, " + ");
  }

 private:
  std::vector<std::unique_ptr<Optimizer>> optimizers_;
};

namespace {

std::vector<ParameterGroup> groups_of(Model& model, double learning_rate) {
  std::vector<ParameterGroup> groups = model.parameter_groups();
  for (ParameterGroup& group : groups) {
    if (learning_rate > 0) group.recipe.learning_rate = learning_rate;
  }
  return groups;
}

at::Tensor zero_sums(const Model& model, c10::Device device) {
  const auto count = static_cast<std::int64_t>(model.metrics().size());
  return at::zeros({count}, at::TensorOptions(device).dtype(at::kFloat));
}

}  // namespace

Trainer::Trainer(Model& model, std::int64_t batch_size, double learning_rate, c10::Device device)
    : model_(model),
      batch_size_(batch_size),
      step_(std::make_unique<EagerStep>(groups_of(model, learning_rate), device)),
      sums_(zero_sums(model, device)) {}

Trainer::~Trainer() = default;

void Trainer::queue_epoch(const ResidentSplit& train, CaseMonitor& monitor) {
  model_.train();
  sums_.zero_();
  samples_ = train.size();
  const at::Tensor order = at::randperm(samples_, at::TensorOptions(train.device()).dtype(at::kLong));
  for (std::int64_t first = 0; first < samples_; first += batch_size_) {
    const std::int64_t count = std::min(batch_size_, samples_ - first);
    train_on(train.gather(order.narrow(0, first, count)));
    monitor.step_finished();
  }
}

void Trainer::queue_step(const ResidentSplit& train) {
  model_.train();
  train_on(train.slice(0, std::min(batch_size_, train.size())));
}

void Trainer::train_on(const Batch& batch) {
  const at::Tensor sums = model_.train_step(batch, *step_);
  sums_.add_(sums);
  const std::int64_t samples = batch.inputs.size(0);
  if (trained_steps_ == 0) {
    first_step_sums_ = sums;
    first_step_samples_ = samples;
  }
  ++trained_steps_;
  trained_samples_ += samples;
}

std::vector<double> Trainer::epoch_metrics() const { return means(sums_, samples_); }

std::vector<double> Trainer::first_step_metrics() const {
  return means(first_step_sums_, first_step_samples_);
}

std::vector<double> Trainer::evaluate(const ResidentSplit& split) {
  const at::NoGradGuard no_grad;
  model_.eval();
  at::Tensor sums = zero_sums(model_, split.device());
  for (std::int64_t first = 0; first < split.size(); first += batch_size_) {
    sums.add_(model_.evaluate(split.slice(first, std::min(batch_size_, split.size() - first))));
  }
  return means(sums, split.size());
}

std::string Trainer::optimizer_description() const { return step_->description(); }

std::vector<double> Trainer::means(const at::Tensor& sums, std::int64_t samples) const {
  const at::Tensor host = sums.to(at::kCPU);
  std::vector<double> values;
  for (std::int64_t i = 0; i < host.numel(); ++i) {
    values.push_back(host.data_ptr<float>()[i] / static_cast<double>(samples));
  }
  return values;
}

}  // namespace gpubench
