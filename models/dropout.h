#pragma once
// Dropout that costs little on a CPU.

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

namespace gpubench {

/// While training, sets each element to 0 with `probability`, in [0, 1), and divides the others by what is
/// left of 1 (Srivastava et al., "Dropout", 2014); else returns `input`. On a CPU the probability is rounded
/// to a multiple of 1/65536. Draws from LibTorch's default generator of the device.
at::Tensor dropout(const at::Tensor& input, double probability, bool is_training);

/// dropout() as a layer.
class DropoutImpl : public torch::nn::Module {
 public:
  explicit DropoutImpl(double chosen_probability) : probability(chosen_probability) {}

  at::Tensor forward(const at::Tensor& input) {
    // By its whole name, or LibTorch's would be found too.
    return gpubench::dropout(input, probability, is_training());
  }

  double probability;
};
TORCH_MODULE(Dropout);

}  // namespace gpubench
