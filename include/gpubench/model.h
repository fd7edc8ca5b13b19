#pragma once
// Models: layers, losses and optimizer recipes. The harness owns loops, clock, precision and kernels.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include "gpubench/model_catalog.h"
#include "gpubench/recipe.h"

namespace gpubench {

/// Tensors of a batch from which metrics are computed, on the device, without gradients. Shapes depend only
/// on the number of samples. The harness keeps them for several steps, so they must not change.
using Results = std::vector<at::Tensor>;

/// Harness interface for a model's training step.
class Step {
 public:
  virtual ~Step() = default;

  /// Updates group `group`, a position in parameter_groups(): clears its gradients, computes the scalar
  /// `loss` in the current precision, backpropagates and applies the optimizer. Returns the detached loss on
  /// the device. May be called several times per step, for any group.
  virtual at::Tensor minimise(std::size_t group, const std::function<at::Tensor()>& loss) = 0;
};

/// A trainable model, used by one thread at a time. It must not read a clock or a value of the device: no
/// item(), no copy to the host, no branch on a tensor's content.
class Model : public torch::nn::Module {
 public:
  /// Returns the trainable parameter groups, always in the same order.
  virtual std::vector<ParameterGroup> parameter_groups() = 0;

  /// Returns the names of score()'s figures, such as {"loss", "accuracy"}. If the first does not fall, the
  /// run has diverged, unless the model is adversarial.
  virtual std::vector<std::string> metrics() const = 0;

  /// Returns true if the losses of the groups compete, so that the first metric need not fall.
  virtual bool is_adversarial() const { return false; }

  /// Returns true if losses are sums over a batch, not means: gradients of micro-batches then add up.
  virtual bool sums_losses() const { return false; }

  /// Runs a training step. Returns the inputs of score(), which runs later: its kernels would slow the step.
  virtual Results train_step(const Batch& batch, Step& step) = 0;

  /// Runs a forward pass in evaluation mode. The harness has disabled gradients.
  virtual Results evaluate(const Batch& batch) = 0;

  /// Returns the output of the network in evaluation mode, without a loss: logits of a classifier or language
  /// model, images of a generator. evaluate() scores the same values. The harness has disabled gradients.
  virtual at::Tensor predict(const at::Tensor& inputs) = 0;

  /// Returns each metric summed over the `samples` samples of a batch: float32, shape {batches, metrics}.
  /// `results` has one row per batch in dimension 0 of each tensor. The default is for models whose results
  /// are the batch means of their metrics.
  virtual at::Tensor score(const Results& results, std::int64_t samples) const {
    return at::stack(results, 1).mul(samples).to(at::kFloat);
  }
};

}  // namespace gpubench
