#pragma once
// Input of a training step, and optimizer recipes.

#include <cstdint>
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

/// Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2015), algorithm 1.
struct AdamRecipe {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;

  /// Decoupled weight decay of parameters with two or more dimensions; 0: none (Loshchilov and Hutter,
  /// "Decoupled Weight Decay Regularization", 2019; which parameters: nanoGPT and llm.c).
  double weight_decay = 0;
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

/// Learning rate by step: rises linearly during warm-up, then falls to 0 along half a cosine.
struct Schedule {
  std::int64_t warmup_steps = 0;  ///< Steps until the full rate.
  std::int64_t total_steps = 0;   ///< Step at which the rate is 0; 0: the rate is constant after the warm-up.

  bool is_constant() const { return warmup_steps == 0 && total_steps == 0; }
};

/// Parameters that one optimizer updates. A classifier has one group, a GAN two.
struct ParameterGroup {
  std::string name = "network";
  std::vector<at::Tensor> parameters = {};
  Recipe recipe = {};
  double epoch_decay = 1;  ///< Factor on the learning rate after each epoch.
  double clip_norm = 0;    ///< Maximum gradient norm of the group; larger gradients are scaled. 0: no limit.
  Schedule schedule = {};  ///< Not together with `epoch_decay`.
};

}  // namespace gpubench
