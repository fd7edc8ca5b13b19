#pragma once
// Rewrites networks for inference.

#include <utility>
#include <vector>

#include <c10/core/ScalarType.h>
#include <torch/nn/modules/container/sequential.h>

namespace gpubench {

/// Folds batch normalization into the convolution before it, and ReLU into the convolution or dense layer
/// before it, in all nn::Sequential of a network. On a CPU, weights are laid out for oneDNN once. The results
/// differ by rounding only. The network must be on its device, in evaluation mode, and outlive this.
class Fusion {
 public:
  /// `type`: type of weights and inputs of the fused layers, such as that of autocast.
  Fusion(torch::nn::Module& network, at::ScalarType type);
  ~Fusion() { exchange(); }
  Fusion(const Fusion&) = delete;
  Fusion& operator=(const Fusion&) = delete;

  /// Restores the original layers, or the fused ones again.
  void exchange();

 private:
  void fuse(torch::nn::SequentialImpl& layers, at::ScalarType type);

  std::vector<std::pair<torch::nn::AnyModule*, torch::nn::AnyModule>> others_;  // Place and other layer.
};

}  // namespace gpubench
