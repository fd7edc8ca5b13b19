#pragma once
// Winograd's convolution of 3x3 weights.

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace gpubench {

/// Returns whether winograd_convolution() is faster than oneDNN for this input and 3x3 weight: for fp32 with
/// channels last, on a CPU where MKL is fast, with many channels and pixels.
bool is_for_winograd(const at::Tensor& input, const at::Tensor& weight, std::int64_t padding);

/// Convolves with stride 1 and `padding` zeros around each image. Needs 4/9 of the multiplications of the
/// definition (Winograd's F(2x2, 3x3); Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks",
/// 2015, with errors no larger than those of the definition). Has gradients of all inputs.
/// Requires is_for_winograd() and a bias.
at::Tensor winograd_convolution(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                                std::int64_t padding);

}  // namespace gpubench
