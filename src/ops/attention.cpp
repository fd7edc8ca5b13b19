#include <ATen/ops/scaled_dot_product_attention.h>

#include <cmath>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::attention_plugin {
namespace {

const char* const kExpected = "queries BxHxLxE, then keys and values BxHxSxE,";

Tensors inputs(const OpCase& c, const Random& random) {
  require_ranks(c, {4, 4, 4}, kExpected);
  const auto& sizes = c.tensors;
  for (const std::size_t i : {0u, 1u, 3u}) require_sizes(sizes[0][i] == sizes[1][i], c, kExpected);
  require_sizes(sizes[1] == sizes[2], c, kExpected);
  return all_normal(c, random);
}

at::Tensor call(const Tensors& inputs, const OpCase&) {
  return at::scaled_dot_product_attention(inputs[0], inputs[1], inputs[2]);
}

double error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  const double scale = 1 / std::sqrt(static_cast<double>(c.tensors[0][3]));
  const at::Tensor scores = inputs[0].matmul(inputs[1].transpose(-1, -2)) * scale;
  return distance(scores.softmax(-1).matmul(inputs[2]), result);
}

double terms(const OpCase& c) { return static_cast<double>(c.tensors[0][3] + c.tensors[1][2]); }
/// Two matrix products, and five operations for each of the scores.
double flop(const OpCase& c) {
  const double scores =
      get_count(c, 0) / static_cast<double>(c.tensors[0][3]) * static_cast<double>(c.tensors[1][2]);
  return scores * (4 * static_cast<double>(c.tensors[0][3]) + 5);
}

}  // namespace

OpEntry entry_attention() {
  return operation("attention", "scaled dot-product attention (Vaswani et al. 2017)",
                   "BxHxLxE BxHxSxE BxHxSxE",
                   "64x8x16x1024 64x8x16x1024 64x8x16x1024, 64x8x16x1024 64x8x64x1024 64x8x64x1024, "
                   "64x16x16x1024 64x16x16x1024 64x16x16x1024, 64x16x16x1024 64x16x64x1024 64x16x64x1024",
                   "4x8x16x64 4x8x64x64 4x8x64x64", inputs, call, error, flop, terms);
}

}  // namespace gpubench::attention_plugin
