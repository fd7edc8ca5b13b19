#include <ATen/ops/linear.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::linear_plugin {
namespace {

const char* const kExpected = "BxNxK, KxM and M";

Tensors inputs(const OpCase& c, const Random& random) {
  require_ranks(c, {3, 2, 1}, kExpected);
  const auto& sizes = c.tensors;
  require_sizes(sizes[0][2] == sizes[1][0] && sizes[1][1] == sizes[2][0], c, kExpected);
  // LibTorch keeps the weights the other way round.
  return {normal(sizes[0], random), normal({sizes[1][1], sizes[1][0]}, random), normal(sizes[2], random)};
}

at::Tensor call(const Tensors& inputs, const OpCase&) { return at::linear(inputs[0], inputs[1], inputs[2]); }

double error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  const at::Tensor rows = inputs[0].reshape({-1, c.tensors[0][2]});
  const at::Tensor expected = rows.mm(inputs[1].t()) + inputs[2];
  return distance(expected.reshape({c.tensors[0][0], c.tensors[0][1], c.tensors[1][1]}), result);
}

double terms(const OpCase& c) { return static_cast<double>(c.tensors[0][2]) + 1; }
double flop(const OpCase& c) {
  return (2 * terms(c) - 1) * static_cast<double>(c.tensors[0][0] * c.tensors[0][1] * c.tensors[1][1]);
}

}  // namespace

OpEntry entry_linear() {
  return operation(
      "linear", "dense layer with bias", "BxNxK KxM M",
      "100x1024x32 32x1024 1024, 100x1024x64 64x1024 1024, 100x1024x256 256x1024 1024, 100x1024x512 "
      "512x1024 1024, 100x1x51200 51200x1 1",
      "4x256x64 64x256 256, 10x1x51200 51200x1 1", inputs, call, error, flop, terms);
}

}  // namespace gpubench::linear_plugin
