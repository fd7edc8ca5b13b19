#pragma once
// Optimizers for the recipes of recipe.h, and the numerics of a precision.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/torch/meta_device.h"
#include "gpubench/recipe.h"
#include "gpubench/record/points.h"

namespace gpubench {

/// Types and scaling of a precision.
struct Numerics {
  at::ScalarType type = at::kFloat;        ///< Type of parameters and inputs.
  std::optional<at::ScalarType> autocast;  ///< Target type of autocast; unset without autocast.
  bool is_loss_scaled = false;             ///< True for fp16, which cannot represent small gradients.
};

Numerics find_numerics(Precision precision);

/// Scope with autocast for its thread; without effect if `type` is unset.
class Autocast {
 public:
  Autocast(at::DeviceType device, std::optional<at::ScalarType> type);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  at::DeviceType device_;
  bool is_on_;
  std::optional<MetaScope> meta_;
  bool was_on_ = false;
  at::ScalarType former_type_ = at::kFloat;
};

/// Scales the loss so that gradients fit into fp16, and adapts the factor to overflows
/// (Micikevicius et al., "Mixed Precision Training", 2018). Everything stays on the device.
class LossScaler {
 public:
  explicit LossScaler(c10::Device device);

  at::Tensor scaled(const at::Tensor& loss) const { return loss.mul(scale_); }

  /// Divides the gradients by the factor and records whether one of them is not finite.
  void unscale(std::vector<at::Tensor>& gradients);

  /// Returns a device scalar: 1 if the last gradients were not finite, so that the step is skipped; else 0.
  const at::Tensor& found_inf() const { return found_inf_; }

  /// Halves the factor after an overflow, doubles it after 2,000 steps without one.
  void update();

  std::vector<at::Tensor> state() const { return {scale_, growth_tracker_}; }

 private:
  at::Tensor scale_;
  at::Tensor growth_tracker_;
  at::Tensor found_inf_;
};

/// Kernels of an update: one fused kernel of LibTorch, or a list operation per term of the formula.
enum class UpdateKernel { kFused, kForeach };

/// Optimizer of one parameter group, with its state. Keeps fp32 copies of parameters of other types.
class Optimizer {
 public:
  /// `scaler`, if set, scales the loss. It must outlive the optimizer and may serve several.
  Optimizer(const ParameterGroup& group, UpdateKernel kernel, LossScaler* scaler);

  void clear_gradients() {
    for (at::Tensor& parameter : parameters_) parameter.mutable_grad() = at::Tensor();
  }
  /// Makes one update; skips it if scaled gradients are not finite. Never waits for the device.
  void step();
  /// Decays the learning rate, also of recorded steps. Never waits for the device. Must not be recorded.
  void end_epoch() {
    if (decaying_rate_.defined()) decaying_rate_.mul_(epoch_decay_);
  }
  /// Returns the number of updates. Waits for the device.
  std::int64_t steps_made() const;
  /// Returns every tensor that training changes, except the parameters.
  std::vector<at::Tensor> state() const;
  std::string description() const;

 private:
  using Tensors = std::vector<at::Tensor>;

  // Update masters_ from their gradients, which may change.
  void update(const SgdRecipe& recipe, Tensors& gradients);
  void update(const AdamRecipe& recipe, Tensors& gradients);
  void update_fused(const AdamRecipe& recipe, const Tensors& gradients);
  void update(const AdadeltaRecipe& recipe, Tensors& gradients);

  /// Calls `use` with the learning rate: a number, or a device scalar that each replay reads.
  template <class Use>
  void with_rate(Use use) const {
    if (decaying_rate_.defined())
      use(decaying_rate_);
    else
      use(learning_rate_);
  }

  Tensors fp32_gradients() const;
  void set_scheduled_rate();
  void decay_weights(const AdamRecipe& recipe);
  void descend(Tensors& directions);
  std::optional<at::Tensor> skip_flag() const;
  void zero_if_skipped(Tensors& tensors) const;
  void decay_means(Tensors& means, double rate) const;
  void average_squares(Tensors& means, const Tensors& values, double rate) const;

  Recipe recipe_;
  UpdateKernel kernel_;
  Tensors parameters_;
  Tensors masters_;  // The parameters, or fp32 copies of parameters of other types.
  // Parameters that are not fp32, and their copies. Separate lists, since LibTorch copies lists of mixed
  // types one by one, or, in CUDA kernels up to 2.10, wrongly
  // (https://github.com/pytorch/pytorch/issues/173383).
  Tensors copied_;
  Tensors copies_;
  Tensors copy_gradients_;
  // Adam: means of gradients and of their squares. Adadelta: means of squared gradients and squared updates.
  std::array<Tensors, 2> means_;
  // Numbers of updates, on the device so that replayed steps count. All are equal; the fused kernel of Adam
  // needs one per parameter.
  Tensors step_counters_;
  // Positions of the parameters with weight decay, and of the others.
  std::array<std::vector<std::size_t>, 2> decayed_;
  double learning_rate_;
  double epoch_decay_;
  Schedule schedule_;
  at::Tensor decaying_rate_;  // Undefined if the rate is constant.
  double clip_norm_;
  LossScaler* scaler_;
};

/// Returns an optimizer with the fastest kernel of LibTorch for `device`, the device of the parameters.
std::unique_ptr<Optimizer> make_optimizer(const ParameterGroup& group, c10::Device device,
                                          LossScaler* scaler = nullptr);

inline double find_learning_rate(const Recipe& recipe) {
  return std::visit([](const auto& any) { return any.learning_rate; }, recipe);
}

inline Recipe with_learning_rate(Recipe recipe, double learning_rate) {
  std::visit([=](auto& any) { any.learning_rate = learning_rate; }, recipe);
  return recipe;
}

}  // namespace gpubench
