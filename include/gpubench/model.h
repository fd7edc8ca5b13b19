#pragma once
// A model: layers, losses and optimiser recipes. The harness owns loops, clock, precision and kernels.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include "gpubench/model_catalog.h"
#include "gpubench/recipe.h"

namespace gpubench {

/// Tensors of a batch for its metrics, on the device, without gradients. Shapes follow from the number of
/// samples. The harness keeps them for some steps: nothing may change them later.
using Results = std::vector<at::Tensor>;

/// Interface of the harness for a model's training step.
class Step {
 public:
  virtual ~Step() = default;

  /// Updates group `group` (its position in parameter_groups()): clears its gradients, computes `loss` (a
  /// scalar) in the precision in force, backpropagates, applies its optimiser. Returns the loss, detached, on
  /// the device. May be called several times a step, for any group.
  virtual at::Tensor minimise(std::size_t group, const std::function<at::Tensor()>& loss) = 0;
};

/// A trainable model. Used by one thread at a time. It never reads a clock, and never reads a value back from
/// the device: no item(), no copy to the host, no branch on a tensor's content.
class Model : public torch::nn::Module {
 public:
  /// Returns the groups of parameters to train, always in the same order.
  virtual std::vector<ParameterGroup> parameter_groups() = 0;

  /// Returns the names of score()'s figures, such as {"loss", "accuracy"}. Training lowers the first one; a
  /// run in which it does not fall has diverged, unless the model is adversarial.
  virtual std::vector<std::string> metrics() const = 0;

  /// Returns true if the groups' losses work against each other, so that the first figure need not fall.
  virtual bool is_adversarial() const { return false; }

  /// Returns true if losses are sums over a batch instead of means: gradients of its parts then add up.
  virtual bool sums_losses() const { return false; }

  /// Makes a training step. Returns what metrics need: their kernels would slow every step.
  virtual Results train_step(const Batch& batch, Step& step) = 0;

  /// Makes a pass in evaluation mode; the harness has switched gradients off.
  virtual Results evaluate(const Batch& batch) = 0;

  /// Returns each metric summed over the samples of a batch, for batches of `samples` samples each: float32,
  /// shape {batches, metrics}. `results` are those of the batches in dimension 0 of each tensor. The default
  /// is for models whose results are the means of their metrics.
  virtual at::Tensor score(const Results& results, std::int64_t samples) const {
    return at::stack(results, 1).mul(samples).to(at::kFloat);
  }
};

}  // namespace gpubench
