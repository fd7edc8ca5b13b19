#pragma once
// Optimisers behind the recipes of recipe.h.

#include <memory>
#include <string>
#include <vector>

#include "engine/training/optimizer/numerics.h"
#include "gpubench/recipe.h"

namespace gpubench {

/// Updates one parameter group. Owns its state, which lives on the parameters' device.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Leaves every parameter of the group without a gradient.
  virtual void clear_gradients() = 0;
  /// One update from the gradients, or none where the scaled ones are not finite. Never waits for the device.
  virtual void step() = 0;
  /// Lets the learning rate decay as the group asks for, for recorded steps as well. Never waits for the
  /// device, and is no part of what is recorded.
  virtual void end_epoch() = 0;
  /// Updates made so far. Waits for the device.
  virtual std::int64_t steps_made() const = 0;
  /// Whether a recorded step stays right when it is replayed: all that counts steps is on the device.
  virtual bool can_be_recorded() const = 0;
  /// Every tensor that training changes, the parameters apart.
  virtual std::vector<at::Tensor> state() const = 0;
  /// Recipe, kernel and what the group asks for besides, for the result file: "adam (fused)",
  /// "sgd (fused), gradients clipped to norm 0.25".
  virtual std::string description() const = 0;
};

/// How an update is computed: a fused kernel of LibTorch, or a list operation for each term of the formula.
enum class UpdateKernel { kFused, kForeach };

std::string to_string(UpdateKernel kernel);

/// Fused where LibTorch's dispatcher has `operation`, such as "aten::_fused_adam_", for `device`.
UpdateKernel preferred_kernel(const std::string& operation, c10::Device device);

// By recipe and kernel; make_optimizer() is the one that chooses. `recipe` is the group's own.
std::unique_ptr<Optimizer> make_adam(const ParameterGroup& group, const AdamRecipe& recipe,
                                     UpdateKernel kernel, LossScaler* scaler);
std::unique_ptr<Optimizer> make_sgd(const ParameterGroup& group, UpdateKernel kernel, LossScaler* scaler);

/// LibTorch has no fused kernel for it.
std::unique_ptr<Optimizer> make_adadelta(const ParameterGroup& group, const AdadeltaRecipe& recipe,
                                         LossScaler* scaler);

/// The optimiser for the group's recipe, with the fastest kernel that LibTorch has for `device`, where the
/// parameters are. Parameters that are no fp32 are kept a second time as such, and updated there. `scaler`,
/// where there is one, scaled the loss; it outlives the optimiser, and may serve others as well, in turns.
/// Throws Unsupported where the device cannot leave out a step of a scaled loss.
std::unique_ptr<Optimizer> make_optimizer(const ParameterGroup& group, c10::Device device,
                                          LossScaler* scaler = nullptr);

double learning_rate_of(const Recipe& recipe);
Recipe with_learning_rate(Recipe recipe, double learning_rate);

}  // namespace gpubench
