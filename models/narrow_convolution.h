#pragma once
// 3x3 convolution of images with few columns.

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace gpubench {

/// Returns whether narrow_convolution() trains faster than oneDNN for this input: in bf16 with channels last,
/// for images of few columns, on a CPU with instructions for bf16.
bool is_for_narrow_convolution(const at::Tensor& input, std::int64_t padding);

/// Convolves with stride 1 and `padding` zeros around each image, with autocast if it is enabled. Computes
/// the gradient of the 3x3 weight as one matrix product, for which the pixels under the weight are copied.
/// Has gradients of all inputs. Requires is_for_narrow_convolution() and a bias.
at::Tensor narrow_convolution(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                              std::int64_t padding);

}  // namespace gpubench
