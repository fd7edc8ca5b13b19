#pragma once
// Fully connected layers and convolutions by the kernels that are fastest on a CPU; elsewhere LibTorch's own.

#include <ATen/core/Tensor.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

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

}  // namespace gpubench
