#pragma once
// How parameters are trained: which ones, by which optimiser, with which constants.

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace gpubench {

/// Adam as in Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2015), algorithm 1, without weight
/// decay.
struct AdamRecipe {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

/// Parameters that one optimiser updates. A classifier has one group, a GAN two.
struct ParameterGroup {
  std::string name;
  std::vector<at::Tensor> parameters;
  AdamRecipe recipe;
};

}  // namespace gpubench
