#include "ops/parts.h"

namespace gpubench::convolutions_plugin {
namespace {

/// `rank`: number of dimensions, such as 3 for samples, positions and channels.
Tensors make_inputs(const OpCase& c, const Random& random, std::size_t rank, const char* expected) {
  require_ranks(c, {rank, rank}, expected);
  const auto& sizes = c.tensors;
  require_sizes(sizes[0].back() == sizes[1].back(), c, expected);
  for (std::size_t i = 1; i + 1 < rank; ++i) require_sizes(sizes[1][i] <= sizes[0][i], c, expected);
  return all_normal(c, random);
}

Tensors conv1d_inputs(const OpCase& c, const Random& random) {
  return make_inputs(c, random, 3, "NxLxC and OxKxC with equal C and K at most L");
}

Tensors conv2d_inputs(const OpCase& c, const Random& random) {
  return make_inputs(c, random, 4, "NxHxWxC and OxKxKxC with equal C and K at most H and W");
}

double terms(const OpCase& c) { return get_count(c, 1) / static_cast<double>(c.tensors[1][0]); }

double flop(const OpCase& c) {
  const Sizes& images = c.tensors[0];
  const Sizes& kernel = c.tensors[1];
  std::int64_t results = images[0] * kernel[0];
  for (std::size_t i = 1; i + 1 < images.size(); ++i) results *= images[i] - kernel[i] + 1;
  return 2 * static_cast<double>(results) * terms(c);
}

/// LibTorch's dimensions have channels before positions. permute() does not move the values.
at::Tensor conv1d(const Tensors& inputs, const OpCase&) {
  return at::conv1d(inputs[0].permute({0, 2, 1}), inputs[1].permute({0, 2, 1}));
}

/// See conv1d(). The result is LibTorch's channels-last.
at::Tensor conv2d(const Tensors& inputs, const OpCase&) {
  return at::conv2d(inputs[0].permute({0, 3, 1, 2}), inputs[1].permute({0, 3, 1, 2}));
}

/// Uses a matrix product per position of the kernel as the reference.
double conv2d_error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  const at::IntArrayRef kernel = inputs[1].sizes();
  const std::int64_t height = inputs[0].size(1) - kernel[1] + 1;
  const std::int64_t width = inputs[0].size(2) - kernel[2] + 1;
  at::Tensor expected = at::zeros({inputs[0].size(0), height, width, kernel[0]}, inputs[0].options());
  for (std::int64_t k = 0; k < kernel[1] * kernel[2]; ++k) {
    const at::Tensor part = inputs[0].narrow(1, k / kernel[2], height).narrow(2, k % kernel[2], width);
    expected += part.matmul(inputs[1].select(1, k / kernel[2]).select(1, k % kernel[2]).t());
  }
  return distance(expected.permute({0, 3, 1, 2}), result);
}

/// Treats the samples as images of one row.
double conv1d_error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  return conv2d_error({inputs[0].unsqueeze(1), inputs[1].unsqueeze(1)}, result.unsqueeze(-2), c);
}

}  // namespace

OpFunctions make_conv1d() { return {conv1d_inputs, conv1d, conv1d_error, flop, terms}; }

OpFunctions make_conv2d() { return {conv2d_inputs, conv2d, conv2d_error, flop, terms}; }

}  // namespace gpubench::convolutions_plugin
