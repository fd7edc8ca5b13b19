// What the functions of optimizer.h make: the update of each recipe.

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
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/full.h>

#include "engine/torch/failure.h"
#include "engine/training/optimizer/optimizer.h"

namespace gpubench {
namespace {

class Sgd : public Optimizer {
 public:
  Sgd(const ParameterGroup& group, UpdateKernel kernel, LossScaler* scaler)
      : Optimizer(group, kernel, scaler, /*step_counters=*/1) {}

 protected:
  void update(Tensors& gradients) override {
    if (!is_fused()) {
      drop_left_out(gradients);
      return descend(gradients);
    }
    with_rate([&](const auto& learning_rate) {
      at::_fused_sgd_(masters(), gradients, /*momentum_buffer_list=*/{}, /*weight_decay=*/0, /*momentum=*/0,
                      learning_rate, /*dampening=*/0, /*nesterov=*/false, /*maximize=*/false,
                      /*is_first_step=*/false, /*grad_scale=*/{}, found_inf());
    });
  }
};

class Adam : public Optimizer {
 public:
  Adam(const ParameterGroup& group, const AdamRecipe& recipe, UpdateKernel kernel, LossScaler* scaler)
      : Optimizer(group, kernel, scaler, kernel == UpdateKernel::kFused ? group.parameters.size() : 0),
        recipe_(recipe),
        first_moments_(add_state()),
        second_moments_(add_state()) {
    // Without reading a value back its count could not leave a step out.
    if (!is_fused() && scaler != nullptr) {
      throw Unsupported("a scaled loss needs LibTorch's fused Adam on this device");
    }
  }

  std::int64_t steps_made() const override { return is_fused() ? Optimizer::steps_made() : step_; }

 protected:
  void update(Tensors& gradients) override {
    if (!is_fused()) return update_each(gradients);
    with_rate([&](const auto& learning_rate) {
      at::_fused_adam_(masters(), gradients, first_moments_, second_moments_, /*max_exp_avg_sqs=*/{},
                       step_counters(), learning_rate, recipe_.beta1, recipe_.beta2, /*weight_decay=*/0,
                       recipe_.epsilon, /*amsgrad=*/false, /*maximize=*/false, /*grad_scale=*/{},
                       found_inf());
    });
  }

 private:
  void update_each(const Tensors& gradients) {
    ++step_;
    at::_foreach_lerp_(first_moments_, gradients, 1 - recipe_.beta1);
    at::_foreach_mul_(second_moments_, recipe_.beta2);
    at::_foreach_addcmul_(second_moments_, gradients, gradients, 1 - recipe_.beta2);

    Tensors denominators = at::_foreach_sqrt(second_moments_);
    at::_foreach_div_(denominators, std::sqrt(1 - std::pow(recipe_.beta2, step_)));
    at::_foreach_add_(denominators, recipe_.epsilon);
    with_rate([&](const auto& learning_rate) { move(denominators, learning_rate); });
  }

  double correction() const { return 1 - std::pow(recipe_.beta1, step_); }

  void move(const Tensors& denominators, double learning_rate) {
    at::_foreach_addcdiv_(masters(), first_moments_, denominators, -learning_rate / correction());
  }

  void move(Tensors& denominators, const at::Tensor&) {
    at::_foreach_mul_(denominators, correction());
    Tensors directions = at::_foreach_div(first_moments_, denominators);
    descend(directions);
  }

  AdamRecipe recipe_;
  Tensors& first_moments_;
  Tensors& second_moments_;
  int step_ = 0;  // Counted where the kernel is not fused.
};

class Adadelta : public Optimizer {
 public:
  Adadelta(const ParameterGroup& group, const AdadeltaRecipe& recipe, LossScaler* scaler)
      : Optimizer(group, UpdateKernel::kForeach, scaler, /*step_counters=*/1),
        recipe_(recipe),
        square_gradients_(add_state()),
        square_updates_(add_state()) {}

 protected:
  void update(Tensors& gradients) override {
    drop_left_out(gradients);
    const auto left_out = is_left_out();
    average_in(square_gradients_, gradients, left_out);
    Tensors updates = roots(square_updates_);
    at::_foreach_div_(updates, roots(square_gradients_));
    at::_foreach_mul_(updates, gradients);
    average_in(square_updates_, updates, left_out);
    descend(updates);
  }

 private:
  /// The running mean of squares with those of `values`; unchanged where the step is left out, whose values
  /// are zeros.
  void average_in(Tensors& means, const Tensors& values, const std::optional<at::Tensor>& left_out) const {
    if (left_out)
      at::_foreach_mul_(means, at::full({}, recipe_.rho, means.front().options()).masked_fill_(*left_out, 1));
    else
      at::_foreach_mul_(means, recipe_.rho);
    at::_foreach_addcmul_(means, values, values, 1 - recipe_.rho);
  }

  Tensors roots(const Tensors& means) const {
    Tensors roots = at::_foreach_add(means, recipe_.epsilon);
    at::_foreach_sqrt_(roots);
    return roots;
  }

  AdadeltaRecipe recipe_;
  Tensors& square_gradients_;  // Running means.
  Tensors& square_updates_;
};

}  // namespace

UpdateKernel preferred_kernel(const std::string& operation, c10::Device device) {
  const auto key = c10::computeDispatchKey(at::kFloat, at::kStrided, device);
  const auto has_overload = [&](const char* overload) {
    const auto op = c10::Dispatcher::singleton().findSchema({operation, overload});
    return op && op->hasKernelForDispatchKey(key);
  };
  // The second one takes the learning rate as a tensor.
  return has_overload("") && has_overload("tensor_lr") ? UpdateKernel::kFused : UpdateKernel::kForeach;
}

std::unique_ptr<Optimizer> make_optimizer(const ParameterGroup& group, UpdateKernel kernel,
                                          LossScaler* scaler) {
  if (const auto* recipe = std::get_if<AdamRecipe>(&group.recipe)) {
    return std::make_unique<Adam>(group, *recipe, kernel, scaler);
  }
  if (const auto* recipe = std::get_if<AdadeltaRecipe>(&group.recipe)) {
    return std::make_unique<Adadelta>(group, *recipe, scaler);
  }
  return std::make_unique<Sgd>(group, kernel, scaler);
}

std::unique_ptr<Optimizer> make_optimizer(const ParameterGroup& group, c10::Device device,
                                          LossScaler* scaler) {
  const std::string fused = "aten::_fused_" + name_of(group.recipe) + "_";
  return make_optimizer(group, preferred_kernel(fused, device), scaler);
}

std::string name_of(const Recipe& recipe) {
  static constexpr const char* kNames[] = {"adam", "sgd", "adadelta"};
  static_assert(std::size(kNames) == std::variant_size_v<Recipe>);
  return kNames[recipe.index()];
}

double learning_rate_of(const Recipe& recipe) {
  return std::visit([](const auto& any) { return any.learning_rate; }, recipe);
}

Recipe with_learning_rate(Recipe recipe, double learning_rate) {
  std::visit([&](auto& any) { any.learning_rate = learning_rate; }, recipe);
  return recipe;
}

}  // namespace gpubench
