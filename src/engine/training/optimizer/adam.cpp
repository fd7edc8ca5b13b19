#include <cmath>

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/_fused_adam.h>

#include "engine/torch/failure.h"
#include "engine/training/optimizer/group_optimizer.h"

namespace gpubench {
namespace {

/// What both kernels share: the constants and the two moments.
class Adam : public GroupOptimizer {
 public:
  Adam(const ParameterGroup& group, const AdamRecipe& recipe, LossScaler* scaler, std::size_t step_counters)
      : GroupOptimizer(group, scaler, step_counters),
        recipe_(recipe),
        first_moments_(zeros_like_masters()),
        second_moments_(zeros_like_masters()) {}

  std::vector<at::Tensor> state() const override {
    Tensors all = GroupOptimizer::state();
    all.insert(all.end(), first_moments_.begin(), first_moments_.end());
    all.insert(all.end(), second_moments_.begin(), second_moments_.end());
    return all;
  }

 protected:
  std::string recipe_name() const override { return "adam"; }

  AdamRecipe recipe_;
  Tensors first_moments_;
  Tensors second_moments_;
};

class FusedAdam : public Adam {
 public:
  FusedAdam(const ParameterGroup& group, const AdamRecipe& recipe, LossScaler* scaler)
      : Adam(group, recipe, scaler, group.parameters.size()) {}

 protected:
  void update(Tensors& gradients) override {
    with_rate([&](const auto& learning_rate) {
      at::_fused_adam_(masters(), gradients, first_moments_, second_moments_, /*max_exp_avg_sqs=*/{},
                       step_counters(), learning_rate, recipe_.beta1, recipe_.beta2, /*weight_decay=*/0,
                       recipe_.epsilon, /*amsgrad=*/false, /*maximize=*/false, /*grad_scale=*/{},
                       found_inf());
    });
  }

  UpdateKernel kernel() const override { return UpdateKernel::kFused; }
};

class ForeachAdam : public Adam {
 public:
  ForeachAdam(const ParameterGroup& group, const AdamRecipe& recipe, LossScaler* scaler)
      : Adam(group, recipe, scaler, /*step_counters=*/0) {
    // Without reading a value back its count could not leave a step out.
    if (scaler != nullptr) throw Unsupported("a scaled loss needs LibTorch's fused Adam on this device");
  }

  std::int64_t steps_made() const override { return step_; }

 protected:
  void update(Tensors& gradients) override {
    ++step_;
    at::_foreach_lerp_(first_moments_, gradients, 1 - recipe_.beta1);
    at::_foreach_mul_(second_moments_, recipe_.beta2);
    at::_foreach_addcmul_(second_moments_, gradients, gradients, 1 - recipe_.beta2);

    Tensors denominators = at::_foreach_sqrt(second_moments_);
    at::_foreach_div_(denominators, std::sqrt(1 - std::pow(recipe_.beta2, step_)));
    at::_foreach_add_(denominators, recipe_.epsilon);
    with_rate([&](const auto& learning_rate) { move(denominators, learning_rate); });
  }

  UpdateKernel kernel() const override { return UpdateKernel::kForeach; }

 private:
  double correction() const { return 1 - std::pow(recipe_.beta1, step_); }

  void move(const Tensors& denominators, double learning_rate) {
    at::_foreach_addcdiv_(masters(), first_moments_, denominators, -learning_rate / correction());
  }

  void move(Tensors& denominators, const at::Tensor&) {
    at::_foreach_mul_(denominators, correction());
    Tensors directions = at::_foreach_div(first_moments_, denominators);
    descend(directions);
  }

  int step_ = 0;
};

}  // namespace

std::unique_ptr<Optimizer> make_adam(const ParameterGroup& group, const AdamRecipe& recipe,
                                     UpdateKernel kernel, LossScaler* scaler) {
  if (kernel == UpdateKernel::kFused) return std::make_unique<FusedAdam>(group, recipe, scaler);
  return std::make_unique<ForeachAdam>(group, recipe, scaler);
}

}  // namespace gpubench
