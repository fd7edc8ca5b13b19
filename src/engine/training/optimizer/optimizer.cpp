#include "engine/training/optimizer/optimizer.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include "engine/training/optimizer/update_kernels.h"

namespace gpubench {
namespace {

/// Makes the optimiser of whichever recipe a group has.
struct OptimizerMaker {
  const ParameterGroup& group;
  c10::Device device;
  LossScaler* scaler;

  std::unique_ptr<Optimizer> operator()(const AdamRecipe& recipe) const {
    return make_adam(group, recipe, preferred_kernel("aten::_fused_adam_", device), scaler);
  }
  std::unique_ptr<Optimizer> operator()(const SgdRecipe&) const {
    return make_sgd(group, preferred_kernel("aten::_fused_sgd_", device), scaler);
  }
  std::unique_ptr<Optimizer> operator()(const AdadeltaRecipe& recipe) const {
    return make_adadelta(group, recipe, scaler);
  }
};

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const ParameterGroup& group, c10::Device device,
                                          LossScaler* scaler) {
  return std::visit(OptimizerMaker{group, device, scaler}, group.recipe);
}

double learning_rate_of(const Recipe& recipe) {
  return std::visit([](const auto& any) { return any.learning_rate; }, recipe);
}

Recipe with_learning_rate(Recipe recipe, double learning_rate) {
  std::visit([&](auto& any) { any.learning_rate = learning_rate; }, recipe);
  return recipe;
}

std::string to_string(UpdateKernel kernel) { return kernel == UpdateKernel::kFused ? "fused" : "foreach"; }

UpdateKernel preferred_kernel(const std::string& operation, c10::Device device) {
  const auto key = c10::computeDispatchKey(at::kFloat, at::kStrided, device);
  const auto has_overload = [&](const char* overload) {
    const auto op = c10::Dispatcher::singleton().findSchema({operation, overload});
    return op && op->hasKernelForDispatchKey(key);
  };
  // The second one takes the learning rate as a tensor.
  return has_overload("") && has_overload("tensor_lr") ? UpdateKernel::kFused : UpdateKernel::kForeach;
}

}  // namespace gpubench
