#pragma once
// Optimizers behind the recipes of recipe.h, and the numerics of a precision.

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "gpubench/recipe.h"
#include "gpubench/record/training_mode.h"

namespace gpubench {

/// The settings behind a Precision.
struct Numerics {
  at::ScalarType type = at::kFloat;        ///< Of parameters and inputs.
  std::optional<at::ScalarType> autocast;  ///< What autocast casts to; unset: there is no autocast.
  bool is_loss_scaled = false;             ///< fp16 cannot hold small gradients.
  bool is_tf32_allowed = false;
};

Numerics find_numerics(Precision precision);

/// Switches autocast on for its thread while it lives; does nothing where `type` is unset.
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

/// Multiplies the loss so that gradients fit into fp16, and follows overflows with the factor (Micikevicius
/// et al., "Mixed Precision Training", 2018). Everything stays on the device: nothing is read back.
class LossScaler {
 public:
  explicit LossScaler(c10::Device device);

  at::Tensor scaled(const at::Tensor& loss) const { return loss.mul(scale_); }

  /// Divides the gradients by the factor and notes whether one of them is not finite.
  void unscale(std::vector<at::Tensor>& gradients);

  /// 1 on the device where the last gradients were not finite, so that the step must change nothing; else 0.
  const at::Tensor& found_inf() const { return found_inf_; }

  /// Halves the factor after an overflow, doubles it after many steps without one.
  void update();

  /// What training changes of it.
  std::vector<at::Tensor> state() const { return {scale_, growth_tracker_}; }

 private:
  at::Tensor scale_;
  at::Tensor growth_tracker_;
  at::Tensor found_inf_;
};

/// How an update is computed: a fused kernel of LibTorch, or a list operation for each term of the formula.
enum class UpdateKernel { kFused, kForeach };

/// Fused where LibTorch's dispatcher has `operation`, such as "aten::_fused_adam_", for `device`.
UpdateKernel preferred_kernel(const std::string& operation, c10::Device device);

/// Updates one parameter group: holds its parameters, their fp32 copies where they are of another type, the
/// learning rate and the step count; unscales and clips gradients. What a recipe does with them is left to a
/// class of its own. Owns its state, which lives on the parameters' device.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Leaves every parameter of the group without a gradient.
  void clear_gradients();
  /// One update from the gradients, or none where the scaled ones are not finite. Never waits for the device.
  void step();
  /// Lets the learning rate decay as the group asks for, for recorded steps as well. Never waits for the
  /// device, and is no part of what is recorded.
  void end_epoch();
  /// Updates made so far. Waits for the device.
  std::int64_t steps_made() const;
  /// Every tensor that training changes, the parameters apart.
  std::vector<at::Tensor> state() const;
  /// Recipe, kernel and what the group asks for besides, for the result file: "adam (fused)",
  /// "sgd (fused), gradients clipped to norm 0.25".
  std::string description() const;

 protected:
  using Tensors = std::vector<at::Tensor>;

  /// Counts updates on the device, so that a recorded step stays right when it is replayed, in
  /// `step_counters` scalars, all equal: a fused kernel may read one for each parameter.
  Optimizer(const ParameterGroup& group, UpdateKernel kernel, LossScaler* scaler, std::size_t step_counters);

  /// One update of masters() from their gradients, which it may change.
  virtual void update(Tensors& gradients) = 0;

  bool is_fused() const { return kernel_ == UpdateKernel::kFused; }
  /// What is updated: the parameters themselves, or copies of those that are no fp32.
  const Tensors& masters() const { return masters_; }
  /// Zeros of the masters' shapes, which training is to change. Lives as long as this.
  Tensors& add_state();
  const Tensors& step_counters() const { return step_counters_; }

  /// Calls `use` with the learning rate: a number, or, where it decays, a scalar on the device, which a
  /// recorded step reads anew each time.
  template <class Use>
  void with_rate(Use use) const {
    if (decaying_rate_.defined())
      use(decaying_rate_);
    else
      use(learning_rate_);
  }

  /// Moves the masters by `directions` times the learning rate, downwards. May change `directions`.
  void descend(Tensors& directions);

  /// For a fused kernel: on the device, 1 where it must change nothing; unset where the loss is not scaled.
  std::optional<at::Tensor> found_inf() const;
  /// For other kernels: zeros in place of gradients, or of directions, that are to change nothing,
  void drop_left_out(Tensors& gradients) const;
  /// and running means multiplied by `rate`, unless the step is to change nothing.
  void fade(Tensors& means, double rate) const;

 private:
  /// found_inf() as a boolean scalar.
  std::optional<at::Tensor> is_left_out() const;
  Tensors fp32_gradients() const;

  std::string recipe_name_;
  UpdateKernel kernel_;
  Tensors parameters_;
  Tensors masters_;
  // Of the parameters that are no fp32, and of these alone: LibTorch copies lists of mixed types one by one,
  // or, in CUDA kernels up to 2.10, wrongly (https://github.com/pytorch/pytorch/issues/173383).
  Tensors copied_;
  Tensors copies_;
  Tensors copy_gradients_;
  std::list<Tensors> added_state_;
  Tensors step_counters_;
  double learning_rate_;
  double epoch_decay_;
  at::Tensor decaying_rate_;  // Undefined where the rate stays as it is.
  double clip_norm_;
  LossScaler* scaler_;
};

/// The optimiser for the group's recipe, with the fastest kernel that LibTorch has for `device`, where the
/// parameters are. Parameters that are no fp32 are kept a second time as such, and updated there. `scaler`,
/// where there is one, scaled the loss; it outlives the optimiser, and may serve others as well, in turns.
std::unique_ptr<Optimizer> make_optimizer(const ParameterGroup& group, c10::Device device,
                                          LossScaler* scaler = nullptr);

/// The same with a given kernel, which Adadelta ignores: LibTorch has no fused one for it.
std::unique_ptr<Optimizer> make_optimizer(const ParameterGroup& group, UpdateKernel kernel,
                                          LossScaler* scaler);

/// "adam", "sgd" or "adadelta".
std::string make_name(const Recipe& recipe);
double find_learning_rate(const Recipe& recipe);
Recipe with_learning_rate(Recipe recipe, double learning_rate);

}  // namespace gpubench
