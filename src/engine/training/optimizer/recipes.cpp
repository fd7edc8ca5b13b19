// What the functions of optimizer.h make: the update of each recipe.

#include <cmath>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_sgd.h>

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
      : Optimizer(group, kernel, scaler, kernel == UpdateKernel::kFused ? group.parameters.size() : 1),
        recipe_(recipe),
        first_moments_(add_state()),
        second_moments_(add_state()) {}

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
  void update_each(Tensors& gradients) {
    drop_left_out(gradients);
    fade(first_moments_, recipe_.beta1);
    at::_foreach_add_(first_moments_, gradients, 1 - recipe_.beta1);
    fade(second_moments_, recipe_.beta2);
    at::_foreach_addcmul_(second_moments_, gradients, gradients, 1 - recipe_.beta2);

    Tensors denominators = at::_foreach_sqrt(second_moments_);
    at::_foreach_mul_(denominators, correction(recipe_.beta2).sqrt_());
    at::_foreach_add_(denominators, recipe_.epsilon);
    Tensors directions = at::_foreach_div(first_moments_, denominators);
    at::_foreach_mul_(directions, correction(recipe_.beta1));
    drop_left_out(directions);
    descend(directions);
  }

  /// 1 / (1 - beta ^ steps), from the count on the device; the difference itself would lose digits in fp32.
  at::Tensor correction(double beta) const {
    return step_counters().front().mul(std::log(beta)).expm1_().neg_().reciprocal_();
  }

  AdamRecipe recipe_;
  Tensors& first_moments_;
  Tensors& second_moments_;
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
    average_in(square_gradients_, gradients);
    Tensors updates = roots(square_updates_);
    at::_foreach_div_(updates, roots(square_gradients_));
    at::_foreach_mul_(updates, gradients);
    average_in(square_updates_, updates);
    descend(updates);
  }

 private:
  /// The running mean of squares with those of `values`, zeros where the step is left out.
  void average_in(Tensors& means, const Tensors& values) const {
    fade(means, recipe_.rho);
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
  const std::string fused = "aten::_fused_" + make_name(group.recipe) + "_";
  // Those of MPS make the steps too that a scaled loss is to leave out (pytorch pull request 186360).
  const bool is_wrong = device.is_mps() && scaler != nullptr;
  return make_optimizer(group, is_wrong ? UpdateKernel::kForeach : preferred_kernel(fused, device), scaler);
}

std::string make_name(const Recipe& recipe) {
  static constexpr const char* kNames[] = {"adam", "sgd", "adadelta"};
  static_assert(std::size(kNames) == std::variant_size_v<Recipe>);
  return kNames[recipe.index()];
}

double find_learning_rate(const Recipe& recipe) {
  return std::visit([](const auto& any) { return any.learning_rate; }, recipe);
}

Recipe with_learning_rate(Recipe recipe, double learning_rate) {
  std::visit([&](auto& any) { any.learning_rate = learning_rate; }, recipe);
  return recipe;
}

}  // namespace gpubench
