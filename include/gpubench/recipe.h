#pragma once
// Input of a training step, and optimizer recipes.

#include <string>
#include <variant>
#include <vector>

#include <ATen/core/Tensor.h>

namespace gpubench {

/// One minibatch, on the device. Dimension 0 of both tensors counts samples.
struct Batch {
  at::Tensor inputs;   ///< float32, or int64 tokens; shape: samples, then DataSpec::sample_shape.
  at::Tensor targets;  ///< int64: a class index per sample, or a token per input token.
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

/// Parameters that one optimizer updates. A classifier has one group, a GAN two.
struct ParameterGroup {
  std::string name;
  std::vector<at::Tensor> parameters;
  Recipe recipe;
  double epoch_decay = 1;  ///< Factor on the learning rate after each epoch.
  double clip_norm = 0;    ///< Maximum gradient norm of the group; larger gradients are scaled. 0: no limit.
};

}  // namespace gpubench
