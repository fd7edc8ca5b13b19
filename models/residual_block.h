#pragma once
// The block that residual networks are made of.

#include <utility>

#include <torch/nn/modules/container/sequential.h>

namespace gpubench {

/// Adds what `residual` makes of its input to what `shortcut` makes of it, or to the input itself where that
/// is null; then ReLU (He et al., "Deep Residual Learning for Image Recognition", 2016).
class ResidualBlockImpl : public torch::nn::Module {
 public:
  explicit ResidualBlockImpl(torch::nn::Sequential residual, torch::nn::Sequential shortcut = nullptr)
      : residual_(register_module("residual", std::move(residual))) {
    if (shortcut) shortcut_ = register_module("shortcut", std::move(shortcut));
  }

  at::Tensor forward(const at::Tensor& x) {
    const at::Tensor shortcut = shortcut_ ? shortcut_->forward(x) : x;
    return residual_->forward(x).add_(shortcut).relu_();
  }

 private:
  torch::nn::Sequential residual_;
  torch::nn::Sequential shortcut_{nullptr};
};
TORCH_MODULE(ResidualBlock);

}  // namespace gpubench
