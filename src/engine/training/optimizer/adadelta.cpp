#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/full.h>

#include "engine/training/optimizer/group_optimizer.h"

namespace gpubench {
namespace {

class Adadelta : public GroupOptimizer {
 public:
  Adadelta(const ParameterGroup& group, const AdadeltaRecipe& recipe, LossScaler* scaler)
      : GroupOptimizer(group, scaler, /*step_counters=*/1),
        recipe_(recipe),
        square_gradients_(zeros_like_masters()),
        square_updates_(zeros_like_masters()) {}

  std::vector<at::Tensor> state() const override {
    Tensors all = GroupOptimizer::state();
    all.insert(all.end(), square_gradients_.begin(), square_gradients_.end());
    all.insert(all.end(), square_updates_.begin(), square_updates_.end());
    return all;
  }

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

  std::string recipe_name() const override { return "adadelta"; }
  UpdateKernel kernel() const override { return UpdateKernel::kForeach; }

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
  Tensors square_gradients_;  // Running means.
  Tensors square_updates_;
};

}  // namespace

std::unique_ptr<Optimizer> make_adadelta(const ParameterGroup& group, const AdadeltaRecipe& recipe,
                                         LossScaler* scaler) {
  return std::make_unique<Adadelta>(group, recipe, scaler);
}

}  // namespace gpubench
