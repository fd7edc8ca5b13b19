#pragma once
// Optimiser kernels behind the recipes of recipe.h.

#include <memory>
#include <string>

#include "engine/training/numerics.h"
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
  /// Updates made so far. Waits for the device.
  virtual std::int64_t steps_made() const = 0;
  /// Whether a recorded step stays right when it is replayed: all that counts steps is on the device.
  virtual bool can_be_recorded() const = 0;
  /// Every tensor that a step changes, the parameters apart.
  virtual std::vector<at::Tensor> state() const = 0;
  /// Recipe and kernel for the result file: "adam (fused)".
  virtual std::string description() const = 0;
};

/// How the update is computed: the fused kernel of LibTorch, or a list operation for each term of the
/// formula.
enum class AdamKernel { kFused, kForeach };

/// The fastest kernel that LibTorch's dispatcher has for `device`.
AdamKernel preferred_adam_kernel(c10::Device device);

/// Parameters that are no fp32 are kept a second time as such, and updated there. `scaler`, where there is
/// one, scaled the loss; it outlives the optimiser.
std::unique_ptr<Optimizer> make_adam(const ParameterGroup& group, AdamKernel kernel,
                                     LossScaler* scaler = nullptr);

}  // namespace gpubench
