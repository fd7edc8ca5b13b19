#pragma once
// Shared layers: dense layers and convolutions, dropout, residual blocks, classifiers.

#include <memory>
#include <utility>

#include <torch/nn.h>

#include "gpubench/model.h"
#include "products.h"

namespace gpubench {

namespace nn = torch::nn;

class DenseImpl : public nn::LinearImpl {
 public:
  using LinearImpl::LinearImpl;
  at::Tensor forward(const at::Tensor& input) { return linear(input, weight, bias); }
};
TORCH_MODULE(Dense);

/// Convolution with bias, without groups and dilation. On a CPU with channels last, computes 1x1 kernels as a
/// matrix product, since oneDNN's convolution would reorder the weight, which may be larger than the image,
/// and some 3x3 kernels by winograd_convolution() or narrow_convolution().
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

/// Convolution with stride 1, then pool_and_relu(). Fused for images of few channels, on a CPU with channels
/// last, in fp32 and bf16, if they need no gradient.
class PooledConvolutionImpl : public nn::Module {
 public:
  PooledConvolutionImpl(std::int64_t inputs, std::int64_t outputs, std::int64_t kernel, std::int64_t padding)
      : convolution_(nn::Conv2dOptions(inputs, outputs, kernel).padding(padding)),
        padding_(padding),
        layers_(register_module("layers", nn::Sequential(convolution_, nn::Functional(pool_and_relu)))) {}

  at::Tensor forward(const at::Tensor& images);

 private:
  Convolution convolution_;  // Inference exchanges that of `layers_`.
  std::int64_t padding_;
  nn::Sequential layers_;
};
TORCH_MODULE(PooledConvolution);

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
