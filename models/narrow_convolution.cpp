#include "narrow_convolution.h"

#include <tuple>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/convolution_backward.h>
#include <torch/csrc/autograd/custom_function.h>

#include "products.h"

namespace gpubench {

using at::Tensor;

namespace narrow {
namespace {

constexpr std::int64_t kSide = 3;  // Side of a weight.

/// Returns the values under the weight for each result [result, tap x channel].
Tensor copy_patches(const Tensor& input, std::int64_t padding) {
  const std::int64_t channels = input.size(1);
  const Tensor pixels =
      at::constant_pad_nd(input.permute({0, 2, 3, 1}), {0, 0, padding, padding, padding, padding})
          .contiguous();
  const std::int64_t height = pixels.size(1) - kSide + 1, width = pixels.size(2) - kSide + 1;
  const auto strides = pixels.strides();
  // The channels of the pixels under a row of the weight are adjacent.
  return pixels
      .as_strided({pixels.size(0), height, width, kSide, kSide * channels},
                  {strides[0], strides[1], strides[2], strides[1], 1})
      .reshape({-1, kSide * kSide * channels});
}

class NarrowConvolution : public torch::autograd::Function<NarrowConvolution> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& input, const Tensor& weight,
                        const Tensor& bias, std::int64_t padding) {
    context->save_for_backward({input, weight});
    context->saved_data["padding"] = padding;
    return at::conv2d(input, weight, bias, 1, padding);
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &input = saved[0], &weight = saved[1];
    const std::int64_t padding = context->saved_data["padding"].toInt();
    const Tensor gradient = gradients.front().contiguous(at::MemoryFormat::ChannelsLast);
    const Tensor rows = gradient.permute({0, 2, 3, 1}).reshape({-1, gradient.size(1)});  // [pixel, channel].
    const Tensor input_gradient = std::get<0>(at::convolution_backward(
        gradient, input, weight, std::nullopt, 1, padding, 1, /*transposed=*/false, 0,
        /*groups=*/1, {/*input=*/true, /*weight=*/false, /*bias=*/false}));
    const Tensor weight_gradient = transposed_product(rows, copy_patches(input, padding))
                                       .view({weight.size(0), kSide, kSide, weight.size(1)})
                                       .permute({0, 3, 1, 2});
    return {input_gradient, weight_gradient, rows.sum(0), Tensor()};
  }
};

}  // namespace
}  // namespace narrow

bool is_for_narrow_convolution(const Tensor& input, std::int64_t padding) {
  constexpr std::int64_t kMostColumns = 5, kMostPaddedColumns = 3;  // In the result.
  const std::int64_t columns = input.size(3) + 2 * padding - 2;
  return input.is_cpu() && input.scalar_type() == at::kBFloat16 && has_fast_bf16() &&
         at::GradMode::is_enabled() && columns <= (padding > 0 ? kMostPaddedColumns : kMostColumns) &&
         input.is_contiguous(at::MemoryFormat::ChannelsLast);
}

Tensor narrow_convolution(const Tensor& input, const Tensor& weight, const Tensor& bias,
                          std::int64_t padding) {
  return narrow::NarrowConvolution::apply(input, to_operand(weight), to_operand(bias), padding);
}

}  // namespace gpubench
