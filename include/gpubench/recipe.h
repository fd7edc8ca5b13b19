#pragma once
// A step of training: its batch, and which parameters it updates by which optimizer with which constants.

#include <string>
#include <variant>
#include <vector>

#include <ATen/core/Tensor.h>

namespace gpubench {

/// One minibatch, on the device. Both tensors have the samples in dimension 0.
struct Batch {
  at::Tensor inputs;   ///< Float32, or int64 tokens; shape: samples, then DataSpec::sample_shape.
  at::Tensor targets;  ///< Int64: a class index each, or a token for each token of the inputs.
};

/// Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2015), algorithm 1; no weight decay.
struct AdamRecipe {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

/// Plain stochastic gradient descent: no momentum, no weight decay.
struct SgdRecipe {
  double learning_rate = 0.1;
};

/// Zeiler, "ADADELTA: An Adaptive Learning Rate Method" (2012), algorithm 1, times a learning rate.
struct AdadeltaRecipe {
  double learning_rate = 1;
  double rho = 0.9;
  double epsilon = 1e-6;
};

using Recipe = std::variant<AdamRecipe, SgdRecipe, AdadeltaRecipe>;

/// Parameters that one optimiser updates. A classifier has one group, a GAN two.
struct ParameterGroup {
  std::string name;
  std::vector<at::Tensor> parameters;
  Recipe recipe;
  double epoch_decay = 1;  ///< What the learning rate is multiplied by after each epoch.
  double clip_norm = 0;  ///< Larger gradients, by their norm over the group, are scaled down to it; 0: none.
};

}  // namespace gpubench
