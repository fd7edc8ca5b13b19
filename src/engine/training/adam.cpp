#include <algorithm>
#include <cmath>
#include <optional>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/_foreach_sub.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "engine/training/failure.h"
#include "engine/training/optimizer.h"

namespace gpubench {
namespace {

using Tensors = std::vector<at::Tensor>;

Tensors zeros_like(const Tensors& tensors) {
  Tensors zeros;
  for (const at::Tensor& tensor : tensors) zeros.push_back(at::zeros_like(tensor));
  return zeros;
}

Tensors fp32_copies(const Tensors& tensors) {
  Tensors copies;
  for (const at::Tensor& tensor : tensors) {
    copies.push_back(tensor.detach().to(tensor.options().dtype(at::kFloat), /*non_blocking=*/false,
                                        /*copy=*/true, at::MemoryFormat::Preserve));
  }
  return copies;
}

bool is_fp32(const Tensors& tensors) {
  return std::all_of(tensors.begin(), tensors.end(),
                     [](const at::Tensor& tensor) { return tensor.scalar_type() == at::kFloat; });
}

/// What both kernels share: parameters, their fp32 copies where they are of another type, the two moments.
class Adam : public Optimizer {
 public:
  Adam(const ParameterGroup& group, LossScaler* scaler)
      : recipe_(group.recipe),
        parameters_(group.parameters),
        has_masters_(!is_fp32(parameters_)),
        masters_(has_masters_ ? fp32_copies(parameters_) : parameters_),
        first_moments_(zeros_like(masters_)),
        second_moments_(zeros_like(masters_)),
        scaler_(scaler) {
    if (has_masters_) master_gradients_ = zeros_like(masters_);
  }

  void clear_gradients() override {
    for (at::Tensor& parameter : parameters_) parameter.mutable_grad() = at::Tensor();
  }

  void step() override {
    const at::NoGradGuard no_grad;
    Tensors gradients = fp32_gradients();
    if (scaler_ != nullptr) scaler_->unscale(gradients);
    update(gradients);
    if (scaler_ != nullptr) scaler_->update();
    if (has_masters_) at::_foreach_copy_(parameters_, masters_);
  }

  std::vector<at::Tensor> state() const override {
    Tensors all = first_moments_;
    all.insert(all.end(), second_moments_.begin(), second_moments_.end());
    if (has_masters_) all.insert(all.end(), masters_.begin(), masters_.end());
    return all;
  }

  std::string description() const override {
    return "adam (" + kernel_name() + (has_masters_ ? ", fp32 copies of the parameters)" : ")");
  }

 protected:
  virtual void update(const Tensors& gradients) = 0;
  virtual std::string kernel_name() const = 0;

  AdamRecipe recipe_;
  Tensors parameters_;
  bool has_masters_;
  Tensors masters_;  // What is updated: the parameters themselves, or their copies.
  Tensors first_moments_;
  Tensors second_moments_;
  LossScaler* scaler_;

 private:
  Tensors fp32_gradients() const {
    Tensors gradients;
    gradients.reserve(parameters_.size());
    for (const at::Tensor& parameter : parameters_) gradients.push_back(parameter.grad());
    if (!has_masters_) return gradients;
    at::_foreach_copy_(master_gradients_, gradients);
    return master_gradients_;
  }

  Tensors master_gradients_;
};

class FusedAdam : public Adam {
 public:
  FusedAdam(const ParameterGroup& group, LossScaler* scaler) : Adam(group, scaler) {
    for (const at::Tensor& master : masters_) steps_.push_back(at::zeros({}, master.options()));
  }

  std::int64_t steps_made() const override {
    return steps_.empty() ? 0 : std::llround(steps_.front().item<float>());
  }

  bool can_be_recorded() const override { return true; }

  std::vector<at::Tensor> state() const override {
    Tensors all = Adam::state();
    all.insert(all.end(), steps_.begin(), steps_.end());
    return all;
  }

 protected:
  void update(const Tensors& gradients) override {
    std::optional<at::Tensor> found_inf;
    if (scaler_ != nullptr) found_inf = scaler_->found_inf();
    at::_foreach_add_(steps_, 1);
    at::_fused_adam_(masters_, gradients, first_moments_, second_moments_, /*max_exp_avg_sqs=*/{}, steps_,
                     recipe_.learning_rate, recipe_.beta1, recipe_.beta2, /*weight_decay=*/0, recipe_.epsilon,
                     /*amsgrad=*/false, /*maximize=*/false, /*grad_scale=*/{}, found_inf);
    // A step that was not made does not count.
    if (found_inf) at::_foreach_sub_(steps_, Tensors(steps_.size(), found_inf->squeeze(0)));
  }

  std::string kernel_name() const override { return "fused"; }

 private:
  Tensors steps_;  // The kernel reads the step count on the device, one scalar for each parameter.
};

class ForeachAdam : public Adam {
 public:
  ForeachAdam(const ParameterGroup& group, LossScaler* scaler) : Adam(group, scaler) {
    // Without reading a value back it could not leave a step out.
    if (scaler != nullptr) throw Unsupported("a scaled loss needs LibTorch's fused Adam on this device");
  }

  std::int64_t steps_made() const override { return step_; }

  bool can_be_recorded() const override { return false; }

 protected:
  void update(const Tensors& gradients) override {
    ++step_;
    at::_foreach_lerp_(first_moments_, gradients, 1 - recipe_.beta1);
    at::_foreach_mul_(second_moments_, recipe_.beta2);
    at::_foreach_addcmul_(second_moments_, gradients, gradients, 1 - recipe_.beta2);

    Tensors denominators = at::_foreach_sqrt(second_moments_);
    at::_foreach_div_(denominators, std::sqrt(1 - std::pow(recipe_.beta2, step_)));
    at::_foreach_add_(denominators, recipe_.epsilon);
    const double rate = recipe_.learning_rate / (1 - std::pow(recipe_.beta1, step_));
    at::_foreach_addcdiv_(masters_, first_moments_, denominators, -rate);
  }

  std::string kernel_name() const override { return "foreach"; }

 private:
  int step_ = 0;
};

}  // namespace

AdamKernel preferred_adam_kernel(c10::Device device) {
  const auto op = c10::Dispatcher::singleton().findSchema({"aten::_fused_adam_", ""});
  const auto key = c10::computeDispatchKey(at::kFloat, at::kStrided, device);
  return op && op->hasKernelForDispatchKey(key) ? AdamKernel::kFused : AdamKernel::kForeach;
}

std::unique_ptr<Optimizer> make_adam(const ParameterGroup& group, AdamKernel kernel, LossScaler* scaler) {
  if (kernel == AdamKernel::kFused) return std::make_unique<FusedAdam>(group, scaler);
  return std::make_unique<ForeachAdam>(group, scaler);
}

}  // namespace gpubench
