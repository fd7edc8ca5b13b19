#pragma once
// LibTorch blocks that several models share: fast products and convolutions, dropout, residual blocks,
// classifiers.

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

/// `input` [.., features] times the transposed `weight` [outputs, features], plus `bias`, as at::linear. In
/// fp32 on a processor with AVX-512 that is not Intel's, oneDNN multiplies: MKL, which LibTorch's product
/// takes, has kernels of half the width for these.
at::Tensor linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias);

/// linear() as a layer.
class DenseImpl : public torch::nn::LinearImpl {
 public:
  using LinearImpl::LinearImpl;
  at::Tensor forward(const at::Tensor& input) { return linear(input, weight, bias); }
};
TORCH_MODULE(Dense);

/// A convolution without groups and dilation, with one stride for both directions. With a kernel of 1x1, on a
/// CPU and with channels last, it is a product of matrices as they lie in memory: oneDNN's convolution would
/// reorder a weight that is large beside the image.
class ConvolutionImpl : public torch::nn::Conv2dImpl {
 public:
  using Conv2dImpl::Conv2dImpl;
  at::Tensor forward(const at::Tensor& input);
};
TORCH_MODULE(Convolution);

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

/// The sums {loss, accuracy} of batches, from their summed losses and, a row each, what was answered and what
/// was right.
at::Tensor loss_and_correct(const at::Tensor& losses, const at::Tensor& answers, const at::Tensor& targets);

/// A classifier whose network maps a batch of samples to logits: cross-entropy, Adam with learning rate 1e-3,
/// metrics "loss" and "accuracy".
std::shared_ptr<Model> make_classifier(torch::nn::Sequential network);

}  // namespace gpubench
