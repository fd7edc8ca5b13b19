#pragma once
// Matrix products by the fastest library on a CPU.

#include <ATen/core/Tensor.h>

namespace gpubench {

/// Returns whether MKL uses this processor fully. AMD processors since Zen 5 have AVX-512 units that it does
/// not use.
bool has_fast_mkl();

/// Returns whether the processor has instructions for bf16.
bool has_fast_bf16();

/// Returns the tensor in the type of a product's operands: on a CPU with autocast, its lower precision.
at::Tensor to_operand(const at::Tensor& tensor);

/// Computes at::linear() of [.., features]. Uses oneDNN in fp32 on AVX-512 processors that are not from
/// Intel, where LibTorch's MKL uses kernels of half the width.
at::Tensor linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias);

/// Multiplies the transposed `a` [n, m] by `b` [n, k], as in gradients of weights, with the kernels of
/// linear().
at::Tensor transposed_product(const at::Tensor& a, const at::Tensor& b);

}  // namespace gpubench
