#include <cmath>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "engine/optimizer.h"

namespace gpubench {
namespace {

using Tensors = std::vector<at::Tensor>;

Tensors zeros_like(const Tensors& tensors) {
  Tensors zeros;
  for (const at::Tensor& tensor : tensors) zeros.push_back(at::zeros_like(tensor));
  return zeros;
}

/// What both kernels share: parameters, gradients and the two moments.
class Adam : public Optimizer {
 public:
  explicit Adam(const ParameterGroup& group)
      : recipe_(group.recipe),
        parameters_(group.parameters),
        first_moments_(zeros_like(parameters_)),
        second_moments_(zeros_like(parameters_)) {}

  void clear_gradients() override {
    for (at::Tensor& parameter : parameters_) parameter.mutable_grad() = at::Tensor();
  }

 protected:
  Tensors gradients() const {
    Tensors gradients;
    gradients.reserve(parameters_.size());
    for (const at::Tensor& parameter : parameters_) gradients.push_back(parameter.grad());
    return gradients;
  }

  AdamRecipe recipe_;
  Tensors parameters_;
  Tensors first_moments_;
  Tensors second_moments_;
};

class FusedAdam : public Adam {
 public:
  explicit FusedAdam(const ParameterGroup& group) : Adam(group) {
    for (const at::Tensor& parameter : parameters_) steps_.push_back(at::zeros({}, parameter.options()));
  }

  void step() override {
    const at::NoGradGuard no_grad;
    at::_foreach_add_(steps_, 1);
    at::_fused_adam_(parameters_, gradients(), first_moments_, second_moments_, /*max_exp_avg_sqs=*/{},
                     steps_, recipe_.learning_rate, recipe_.beta1, recipe_.beta2, /*weight_decay=*/0,
                     recipe_.epsilon,
                     /*amsgrad=*/false, /*maximize=*/false);
  }

  std::string description() const override { return "adam (fused)"; }

 private:
  Tensors steps_;  // The kernel reads the step count on the device, one scalar for each parameter.
};

class ForeachAdam : public Adam {
 public:
  using Adam::Adam;

  void step() override {
    const at::NoGradGuard no_grad;
    ++step_;
    const Tensors gradients = this->gradients();
    at::_foreach_lerp_(first_moments_, gradients, 1 - recipe_.beta1);
    at::_foreach_mul_(second_moments_, recipe_.beta2);
    at::_foreach_addcmul_(second_moments_, gradients, gradients, 1 - recipe_.beta2);

    Tensors denominators = at::_foreach_sqrt(second_moments_);
    at::_foreach_div_(denominators, std::sqrt(1 - std::pow(recipe_.beta2, step_)));
    at::_foreach_add_(denominators, recipe_.epsilon);
    const double rate = recipe_.learning_rate / (1 - std::pow(recipe_.beta1, step_));
    at::_foreach_addcdiv_(parameters_, first_moments_, denominators, -rate);
  }

  std::string description() const override { return "adam (foreach)"; }

 private:
  int step_ = 0;
};

}  // namespace

AdamKernel preferred_adam_kernel(c10::Device device) {
  const auto op = c10::Dispatcher::singleton().findSchema({"aten::_fused_adam_", ""});
  const auto key = c10::computeDispatchKey(at::kFloat, at::kStrided, device);
  return op && op->hasKernelForDispatchKey(key) ? AdamKernel::kFused : AdamKernel::kForeach;
}

std::unique_ptr<Optimizer> make_adam(const ParameterGroup& group, AdamKernel kernel) {
  if (kernel == AdamKernel::kFused) return std::make_unique<FusedAdam>(group);
  return std::make_unique<ForeachAdam>(group);
}

}  // namespace gpubench
