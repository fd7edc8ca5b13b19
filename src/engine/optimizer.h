#pragma once
// Optimiser kernels behind the recipes of recipe.h.

#include <memory>
#include <string>

#include "gpubench/recipe.h"

namespace gpubench {

/// Updates one parameter group. Owns its state, which lives on the parameters' device.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Leaves every parameter of the group without a gradient.
  virtual void clear_gradients() = 0;
  /// One update from the gradients. Never waits for the device.
  virtual void step() = 0;
  /// Recipe and kernel for the result file: "adam (fused)".
  virtual std::string description() const = 0;
};

/// How the update is computed: the fused kernel of LibTorch, or a list operation for each term of the
/// formula.
enum class AdamKernel { kFused, kForeach };

/// The fastest kernel that LibTorch's dispatcher has for `device`.
AdamKernel preferred_adam_kernel(c10::Device device);

std::unique_ptr<Optimizer> make_adam(const ParameterGroup& group, AdamKernel kernel);

}  // namespace gpubench
