#pragma once
// Layers that several models share: fast products and convolutions, dropout, residual blocks, classifiers.

#include <cstdint>
#include <memory>
#include <utility>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

#include "gpubench/model.h"

namespace gpubench {

/// Computes at::linear() of [.., features]. In fp32 on AVX-512 processors of other makers than Intel, oneDNN
/// multiplies, since LibTorch's MKL has kernels of half the width for these.
at::Tensor linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias);

class DenseImpl : public torch::nn::LinearImpl {
 public:
  using LinearImpl::LinearImpl;
  at::Tensor forward(const at::Tensor& input) { return linear(input, weight, bias); }
};
TORCH_MODULE(Dense);

/// A convolution without groups and dilation. On a CPU a 1x1 kernel with channels last is a matrix product,
/// since oneDNN's convolution would reorder the weight, which may be larger than the image.
class ConvolutionImpl : public torch::nn::Conv2dImpl {
 public:
  using Conv2dImpl::Conv2dImpl;
  at::Tensor forward(const at::Tensor& input);
};
TORCH_MODULE(Convolution);

/// Applies dropout of `probability` in [0, 1) (Srivastava et al., "Dropout", 2014), on a CPU in multiples of
/// 1/65536. Draws from LibTorch's default generator of the device.
at::Tensor dropout(const at::Tensor& input, double probability, bool is_training);

class DropoutImpl : public torch::nn::Module {
 public:
  explicit DropoutImpl(double probability) : probability_(probability) {}

  at::Tensor forward(const at::Tensor& input) {
    // By its whole name, or LibTorch's would be found too.
    return gpubench::dropout(input, probability_, is_training());
  }

 private:
  double probability_;
};
TORCH_MODULE(Dropout);

/// Adds `residual` and `shortcut` (null: the input), then ReLU (He et al., "Deep Residual Learning", 2016).
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

/// A model with a single group of parameters and a single loss.
class SingleLossModel : public Model {
 public:
  Results train_step(const Batch& batch, Step& step) override;
  Results evaluate(const Batch& batch) override { return compute(batch); }

 protected:
  /// Returns the results of a batch, the loss first. They may have gradients.
  virtual Results compute(const Batch& batch) = 0;
};

/// Returns the sums {loss, accuracy} of batches; one row of answers and targets for each batch.
at::Tensor loss_and_correct(const at::Tensor& losses, const at::Tensor& answers, const at::Tensor& targets);

/// Returns a classifier with cross-entropy, Adam (learning rate 1e-3), metrics "loss" and "accuracy".
std::shared_ptr<Model> make_classifier(torch::nn::Sequential network);

}  // namespace gpubench
