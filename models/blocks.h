#pragma once
// Shared layers: fast products and convolutions, dropout, residual blocks, classifiers.

#include <memory>
#include <utility>

#include <torch/nn.h>

#include "gpubench/model.h"

namespace gpubench {

namespace nn = torch::nn;

/// Returns whether MKL uses this processor fully. AMD processors since Zen 5 have AVX-512 units that it does
/// not use.
bool has_fast_mkl();

/// Computes at::linear() of [.., features]. Uses oneDNN in fp32 on AVX-512 processors that are not from
/// Intel, where LibTorch's MKL uses kernels of half the width.
at::Tensor linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias);

/// Multiplies the transposed `a` [n, m] by `b` [n, k], as in gradients of weights, with the kernels of
/// linear().
at::Tensor transposed_product(const at::Tensor& a, const at::Tensor& b);

class DenseImpl : public nn::LinearImpl {
 public:
  using LinearImpl::LinearImpl;
  at::Tensor forward(const at::Tensor& input) { return linear(input, weight, bias); }
};
TORCH_MODULE(Dense);

/// Convolution without groups and dilation. Computes 1x1 kernels with channels last on a CPU as a matrix
/// product: oneDNN's convolution would reorder the weight, which may be larger than the image.
class ConvolutionImpl : public nn::Conv2dImpl {
 public:
  using Conv2dImpl::Conv2dImpl;
  at::Tensor forward(const at::Tensor& input);
};
TORCH_MODULE(Convolution);

/// Applies dropout (Srivastava et al., "Dropout", 2014). `probability` is in [0, 1), rounded to multiples of
/// 1/65536 on a CPU. Draws from LibTorch's default generator of the device.
at::Tensor dropout(const at::Tensor& input, double probability, bool is_training);

class DropoutImpl : public nn::Module {
 public:
  explicit DropoutImpl(double probability) : probability_(probability) {}

  at::Tensor forward(const at::Tensor& input) {
    // Qualified, since torch::dropout is visible too.
    return gpubench::dropout(input, probability_, is_training());
  }

 private:
  double probability_;
};
TORCH_MODULE(Dropout);

/// Computes the ReLU of the maxima of 2x2 windows, with stride 2. Fused for fp32 and bf16 with channels last
/// on a CPU, where LibTorch's operations read and write several times as much memory.
at::Tensor pool_and_relu(const at::Tensor& images);

class PoolAndReluImpl : public nn::Module {
 public:
  at::Tensor forward(const at::Tensor& images) { return pool_and_relu(images); }
};
TORCH_MODULE(PoolAndRelu);

/// ReLU of `residual` plus `shortcut` (null: the input) (He et al., "Deep Residual Learning", 2016).
class ResidualBlockImpl : public nn::Module {
 public:
  explicit ResidualBlockImpl(nn::Sequential residual, nn::Sequential shortcut = nullptr)
      : residual_(register_module("residual", std::move(residual))) {
    if (shortcut) shortcut_ = register_module("shortcut", std::move(shortcut));
  }

  at::Tensor forward(const at::Tensor& x) {
    const at::Tensor shortcut = shortcut_ ? shortcut_->forward(x) : x;
    return residual_->forward(x).add_(shortcut).relu_();
  }

 private:
  nn::Sequential residual_;
  nn::Sequential shortcut_{nullptr};
};
TORCH_MODULE(ResidualBlock);

inline nn::ReLU relu() { return nn::ReLU(/*inplace=*/true); }

/// Model with one optimizer and one loss.
class SingleLossModel : public Model {
 public:
  std::vector<ParameterGroup> parameter_groups() override {
    ParameterGroup group = training_;
    group.parameters = parameters();
    return {group};
  }
  std::vector<std::string> metrics() const override { return metrics_; }
  Results train_step(const Batch& batch, Step& step) override;
  Results evaluate(const Batch& batch) override { return compute(batch); }

 protected:
  /// `training`: a group without its parameters.
  explicit SingleLossModel(std::vector<std::string> metrics, ParameterGroup training = {})
      : metrics_(std::move(metrics)), training_(std::move(training)) {}

  /// Returns the results of a batch, the loss first, optionally with gradients.
  virtual Results compute(const Batch& batch) = 0;

 private:
  std::vector<std::string> metrics_;
  ParameterGroup training_;
};

/// Returns {loss, correct answers} per batch. `answers` and `targets` have one row per batch.
inline at::Tensor loss_and_correct(const at::Tensor& losses, const at::Tensor& answers,
                                   const at::Tensor& targets) {
  return at::stack({losses, answers.eq(targets).sum(1, /*keepdim=*/false, at::kFloat)}, 1);
}

/// Returns a classifier with cross-entropy and metrics "loss" and "accuracy". `training` is by default Adam
/// with learning rate 1e-3.
std::shared_ptr<Model> make_classifier(nn::Sequential network, ParameterGroup training = {});

/// Throws a usage Error unless the size named `divisor` divides the size named `whole`.
void require_divisor(const ModelSizes& sizes, const std::string& divisor, const std::string& whole);

}  // namespace gpubench
