#pragma once
// A model: layers, losses and optimiser recipes. The harness owns loops, clock, precision and optimiser
// kernels.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include "gpubench/model_catalog.h"
#include "gpubench/recipe.h"

namespace gpubench {

/// What a batch leaves for its metrics: tensors on the device, without gradients, whose shapes follow from
/// the number of samples. The harness keeps them for some steps: nothing may change them later.
using Results = std::vector<at::Tensor>;

/// What the harness offers a model during a training step.
class Step {
 public:
  virtual ~Step() = default;

  /// One update of group `group` (its position in parameter_groups()): clears the group's gradients, computes
  /// `loss` (a scalar) in the precision in force, backpropagates, applies the group's optimiser. Returns the
  /// loss, detached, on the device. A model may call it several times a step, for any of its groups.
  virtual at::Tensor minimise(std::size_t group, const std::function<at::Tensor()>& loss) = 0;
};

/// A trainable model. Used by one thread at a time. It never reads a clock, and never reads a value back from
/// the device: no item(), no copy to the host, no branch on a tensor's content.
class Model : public torch::nn::Module {
 public:
  /// The groups of parameters to train, in the order that Step::minimise counts them. Same order in every
  /// call.
  virtual std::vector<ParameterGroup> parameter_groups() = 0;

  /// Names of the figures that score makes, e.g. {"loss", "accuracy"}. The first one is
  /// what training lowers; a run in which it does not fall has diverged, unless the model is adversarial.
  virtual std::vector<std::string> metrics() const = 0;

  /// Whether the groups' losses work against each other, so that the first figure need not fall.
  virtual bool is_adversarial() const { return false; }

  /// Whether the losses are sums over the samples of a batch instead of their means: gradients of parts of a
  /// batch then add up to those of the whole.
  virtual bool sums_losses() const { return false; }

  /// One training step on `batch`. Returns what its metrics are made of: to make them here would take several
  /// small kernels in every step.
  virtual Results train_step(const Batch& batch, Step& step) = 0;

  /// The same in evaluation mode; the harness has switched gradients off. One pass over the whole network.
  virtual Results evaluate(const Batch& batch) = 0;

  /// Each metric summed over the samples of a batch, for several batches of `samples` samples each: float32,
  /// shape {batches, metrics}. `results` are those of the batches in dimension 0 of each tensor. The harness
  /// adds the sums up and divides by the samples, once an epoch. As it stands for models whose results are
  /// the means of their metrics.
  virtual at::Tensor score(const Results& results, std::int64_t samples) const {
    return at::stack(results, 1).mul(samples).to(at::kFloat);
  }
};

}  // namespace gpubench
