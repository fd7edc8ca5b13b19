#include "engine/training/trainer.h"

#include <algorithm>

#include <ATen/ops/zeros.h>

#include "engine/training/cost/profile.h"

namespace gpubench {

/// Runs each operation at once, or has it recorded where its stream records.
class Trainer::EagerStep : public Step {
 public:
  EagerStep(const std::vector<ParameterGroup>& groups, const Numerics& numerics, c10::Device device)
      : numerics_(numerics), device_(device) {
    if (numerics.is_loss_scaled) scaler_.emplace(device);
    for (const ParameterGroup& group : groups) {
      optimizers_.push_back(make_optimizer(group, device, scaler_ ? &*scaler_ : nullptr));
    }
  }

  at::Tensor minimise(std::size_t group, const std::function<at::Tensor()>& loss_of) override {
    Optimizer& optimizer = *optimizers_.at(group);
    optimizer.clear_gradients();
    const at::Tensor loss = forward(loss_of);
    backward(loss);
    const StepScope scope(kOptimizerScope);
    optimizer.step();
    return loss.detach();
  }

  const std::vector<std::unique_ptr<Optimizer>>& optimizers() const { return optimizers_; }

  std::vector<at::Tensor> state() const {
    std::vector<at::Tensor> all = scaler_ ? scaler_->state() : std::vector<at::Tensor>();
    for (const auto& optimizer : optimizers_) {
      const auto more = optimizer->state();
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }

 private:
  at::Tensor forward(const std::function<at::Tensor()>& loss_of) {
    const StepScope scope(kForwardScope);
    const Autocast autocast(device_.type(), numerics_.autocast);
    return loss_of();
  }

  void backward(const at::Tensor& loss) {
    const StepScope scope(kBackwardScope);
    (scaler_ ? scaler_->scaled(loss) : loss).backward();
  }

  Numerics numerics_;
  c10::Device device_;
  std::optional<LossScaler> scaler_;
  std::vector<std::unique_ptr<Optimizer>> optimizers_;
};

namespace {

std::vector<ParameterGroup> groups_of(Model& model, double learning_rate) {
  std::vector<ParameterGroup> groups = model.parameter_groups();
  for (ParameterGroup& group : groups) {
    if (learning_rate > 0) group.recipe = with_learning_rate(group.recipe, learning_rate);
  }
  return groups;
}

at::Tensor zero_sums(const Model& model, c10::Device device) {
  const auto count = static_cast<std::int64_t>(model.metrics().size());
  return at::zeros({count}, at::TensorOptions(device).dtype(at::kFloat));
}

}  // namespace

Trainer::Trainer(Model& model, const TrainerOptions& options, c10::Device device)
    : model_(model),
      options_(options),
      step_(std::make_unique<EagerStep>(groups_of(model, options.learning_rate), options.numerics, device)),
      sums_(zero_sums(model, device)) {}

Trainer::~Trainer() = default;

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
  const at::Tensor sums = model_.train_step(batch, *step_);
  sums_.add_(sums);
  if (first_step_sums_.defined()) return;
  first_step_sums_ = sums;
  first_step_samples_ = batch.inputs.size(0);
}

void Trainer::end_epoch() {
  for (const auto& optimizer : step_->optimizers()) optimizer->end_epoch();
}

std::vector<double> Trainer::epoch_metrics() const { return means(sums_, samples_); }

std::vector<double> Trainer::first_step_metrics() const {
  return means(first_step_sums_, first_step_samples_);
}

std::int64_t Trainer::trained_steps() const { return step_->optimizers().front()->steps_made(); }

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
  std::vector<std::string> names;
  for (const auto& optimizer : step_->optimizers()) names.push_back(optimizer->description());
  return join(names, " + ");
}

bool Trainer::can_be_recorded() const {
  const auto& optimizers = step_->optimizers();
  return std::all_of(optimizers.begin(), optimizers.end(),
                     [](const auto& optimizer) { return optimizer->can_be_recorded(); });
}

std::vector<at::Tensor> Trainer::state() const {
  std::vector<at::Tensor> all = model_.parameters();
  const auto buffers = model_.buffers();
  all.insert(all.end(), buffers.begin(), buffers.end());
  const auto kept = step_->state();
  all.insert(all.end(), kept.begin(), kept.end());
  return all;
}

std::vector<double> Trainer::means(const at::Tensor& sums, std::int64_t samples) const {
  const at::Tensor host = sums.to(at::kCPU);
  std::vector<double> values;
  for (std::int64_t i = 0; i < host.numel(); ++i) {
    values.push_back(host.data_ptr<float>()[i] / static_cast<double>(samples));
  }
  return values;
}

}  // namespace gpubench
