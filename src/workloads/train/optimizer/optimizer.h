#pragma once
// Optimisers for the recipes of recipe.h, and the numerics of a precision.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <ATen/core/Tensor.h>

#include "gpubench/recipe.h"
#include "gpubench/record/points.h"

namespace gpubench {

struct Numerics {
  at::ScalarType type = at::kFloat;        ///< Of parameters and inputs.
  std::optional<at::ScalarType> autocast;  ///< Type that autocast casts to; unset: no autocast.
  bool is_loss_scaled = false;             ///< fp16 cannot hold small gradients.
};

Numerics find_numerics(Precision precision);

/// Switches autocast on for its thread while it lives; does nothing if `type` is unset.
class Autocast {
 public:
  Autocast(at::DeviceType device, std::optional<at::ScalarType> type);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  at::DeviceType device_;
  bool is_on_;
  bool was_on_ = false;
  at::ScalarType former_type_ = at::kFloat;
};

/// Multiplies the loss by a factor so that gradients fit into fp16, and adapts the factor to overflows
/// (Micikevicius et al., "Mixed Precision Training", 2018). Everything stays on the device.
class LossScaler {
 public:
  explicit LossScaler(c10::Device device);

  at::Tensor scaled(const at::Tensor& loss) const { return loss.mul(scale_); }

  /// Divides the gradients by the factor and records whether one of them is not finite.
  void unscale(std::vector<at::Tensor>& gradients);

  /// 1 on the device if the last gradients were not finite, so that the step must change nothing; else 0.
  const at::Tensor& found_inf() const { return found_inf_; }

  /// Halves the factor after an overflow, doubles it after many steps without one.
  void update();

  std::vector<at::Tensor> state() const { return {scale_, growth_tracker_}; }

 private:
  at::Tensor scale_;
  at::Tensor growth_tracker_;
  at::Tensor found_inf_;
};

/// Computes an update by a fused kernel of LibTorch, or by a list operation for each term of the formula.
enum class UpdateKernel { kFused, kForeach };

/// Updates one parameter group. Keeps fp32 copies of other types. Owns its state, on the parameters' device.
class Optimizer {
 public:
  /// `scaler` scaled the loss, if set; outlives the optimizer and may serve several.
  Optimizer(const ParameterGroup& group, UpdateKernel kernel, LossScaler* scaler);

  void clear_gradients();
  /// Makes one update, or none if scaled gradients are not finite. Never waits for the device.
  void step();
  /// Decays the learning rate, also that of recorded steps. Never waits for the device; must not be recorded.
  void end_epoch() {
    if (decaying_rate_.defined()) decaying_rate_.mul_(epoch_decay_);
  }
  /// Returns the number of updates made. Waits for the device.
  std::int64_t steps_made() const;
  /// Returns every tensor that training changes, except the parameters.
  std::vector<at::Tensor> state() const;
  std::string description() const;

 private:
  using Tensors = std::vector<at::Tensor>;

  // Each updates masters_ from their gradients, which it may change.
  void update(const SgdRecipe& recipe, Tensors& gradients);
  void update(const AdamRecipe& recipe, Tensors& gradients);
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
  void descend(Tensors& directions);
  std::optional<at::Tensor> is_left_out() const;
  void drop_left_out(Tensors& tensors) const;
  void fade(Tensors& means, double rate) const;
  void average_squares(Tensors& means, const Tensors& values, double rate) const;

  Recipe recipe_;
  UpdateKernel kernel_;
  Tensors parameters_;
  Tensors masters_;  // The parameters themselves, or copies of those that are not fp32.
  // Only those that are not fp32 and their copies: LibTorch copies lists of mixed types one by one, or, in
  // CUDA kernels up to 2.10, wrongly (https://github.com/pytorch/pytorch/issues/173383).
  Tensors copied_;
  Tensors copies_;
  Tensors copy_gradients_;
  // Adam: means of gradients and of their squares. Adadelta: of the squares of gradients and of updates.
  std::array<Tensors, 2> means_;
  // Updates, counted on the device so that a recorded step stays right when it is replayed. All are equal;
  // the fused kernel of Adam reads one for each parameter.
  Tensors step_counters_;
  double learning_rate_;
  double epoch_decay_;
  at::Tensor decaying_rate_;  // Undefined if the rate stays as it is.
  double clip_norm_;
  LossScaler* scaler_;
};

/// Uses the fastest kernel that LibTorch has for `device`, where the parameters are.
std::unique_ptr<Optimizer> make_optimizer(const ParameterGroup& group, c10::Device device,
                                          LossScaler* scaler = nullptr);

inline double find_learning_rate(const Recipe& recipe) {
  return std::visit([](const auto& any) { return any.learning_rate; }, recipe);
}
Recipe with_learning_rate(Recipe recipe, double learning_rate);

}  // namespace gpubench
