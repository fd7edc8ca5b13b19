#pragma once
// What several models are made of that needs LibTorch: dropout, residual blocks, classifiers.

#include <memory>
#include <utility>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/pimpl.h>

#include "gpubench/model.h"

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
