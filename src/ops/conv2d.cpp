#include <ATen/ops/conv2d.h>
#include <ATen/ops/zeros.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::conv2d_plugin {
namespace {

const char* const kExpected = "NxHxWxC and OxKxKxC with the same C and K at most H and W";

Tensors inputs(const OpCase& c, const Random& random) {
  require_ranks(c, {4, 4}, kExpected);
  const auto& sizes = c.tensors;
  require_sizes(sizes[0][3] == sizes[1][3], c, kExpected);
  require_sizes(sizes[1][1] <= sizes[0][1] && sizes[1][2] <= sizes[0][2], c, kExpected);
  return all_normal(c, random);
}

/// LibTorch counts channels before rows; the values stay where they are, which is its channels-last layout.
at::Tensor call(const Tensors& inputs, const OpCase&) {
  return at::conv2d(inputs[0].permute({0, 3, 1, 2}), inputs[1].permute({0, 3, 1, 2}));
}

/// A matrix product for each position of the kernel.
double error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  const auto& kernel = c.tensors[1];
  const auto height = c.tensors[0][1] - kernel[1] + 1;
  const auto width = c.tensors[0][2] - kernel[2] + 1;
  at::Tensor expected = at::zeros({c.tensors[0][0], height, width, kernel[0]}, inputs[0].options());
  for (std::int64_t k = 0; k < kernel[1] * kernel[2]; ++k) {
    const at::Tensor part = inputs[0].narrow(1, k / kernel[2], height).narrow(2, k % kernel[2], width);
    expected += part.matmul(inputs[1].select(1, k / kernel[2]).select(1, k % kernel[2]).t());
  }
  return distance(expected.permute({0, 3, 1, 2}), result);
}

double terms(const OpCase& c) {
  return static_cast<double>(c.tensors[1][1] * c.tensors[1][2] * c.tensors[1][3]);
}
double flop(const OpCase& c) {
  const auto height = c.tensors[0][1] - c.tensors[1][1] + 1;
  const auto width = c.tensors[0][2] - c.tensors[1][2] + 1;
  return 2 * static_cast<double>(c.tensors[0][0] * height * width * c.tensors[1][0]) * terms(c);
}

}  // namespace

OpEntry entry_conv2d() {
  return operation(
      "conv2d", "convolution over two dimensions, without padding", "NxHxWxC OxKxKxC",
      "100x256x256x3 8x3x3x3, 10x256x256x12 8x3x3x12, 1x256x256x128 8x3x3x128, 100x28x28x3 8x3x3x3, "
      "1000x28x28x3 8x3x3x3",
      "10x28x28x3 8x3x3x3, 1x64x64x128 8x3x3x128", inputs, call, error, flop, terms);
}

}  // namespace gpubench::conv2d_plugin
