#include <ATen/ops/conv1d.h>
#include <ATen/ops/zeros.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::conv1d_plugin {
namespace {

const char* const kExpected = "NxLxC and OxKxC with the same C and K at most L";

Tensors inputs(const OpCase& c, const Random& random) {
  require_ranks(c, {3, 3}, kExpected);
  const auto& sizes = c.tensors;
  require_sizes(sizes[0][2] == sizes[1][2] && sizes[1][1] <= sizes[0][1], c, kExpected);
  return all_normal(c, random);
}

/// LibTorch counts channels before positions; the values stay where they are.
at::Tensor call(const Tensors& inputs, const OpCase&) {
  return at::conv1d(inputs[0].permute({0, 2, 1}), inputs[1].permute({0, 2, 1}));
}

/// A matrix product for each position of the kernel.
double error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  const auto length = c.tensors[0][1] - c.tensors[1][1] + 1;
  at::Tensor expected = at::zeros({c.tensors[0][0], length, c.tensors[1][0]}, inputs[0].options());
  for (std::int64_t k = 0; k < c.tensors[1][1]; ++k) {
    expected += inputs[0].narrow(1, k, length).matmul(inputs[1].select(1, k).t());
  }
  return distance(expected.permute({0, 2, 1}), result);
}

double terms(const OpCase& c) { return static_cast<double>(c.tensors[1][1] * c.tensors[1][2]); }
double flop(const OpCase& c) {
  const auto results = c.tensors[0][0] * (c.tensors[0][1] - c.tensors[1][1] + 1) * c.tensors[1][0];
  return 2 * static_cast<double>(results) * terms(c);
}

}  // namespace

OpEntry entry_conv1d() {
  return operation("conv1d", "convolution over one dimension, without padding", "NxLxC OxKxC",
                   "100x256x3 8x3x3, 100x256x256 8x3x256, 16x1000x80 128x11x80, 16x1000x3 128x11x3",
                   "10x256x3 8x3x3, 4x100x80 128x11x80", inputs, call, error, flop, terms);
}

}  // namespace gpubench::conv1d_plugin
