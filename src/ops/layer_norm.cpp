#include <ATen/ops/layer_norm.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::layer_norm_plugin {
namespace {

constexpr double kEpsilon = 1e-5;

at::Tensor call(const Tensors& inputs, const OpCase& c) {
  return at::layer_norm(inputs[0], {c.tensors[0].back()}, {}, {}, kEpsilon);
}

double error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  const at::Tensor centred = inputs[0] - inputs[0].mean(-1, true);
  return distance(centred / (centred.square().mean(-1, true) + kEpsilon).sqrt(), result);
}

/// Mean, difference, square, mean of squares, quotient.
double flop(const OpCase& c) { return 5 * get_count(c, 0); }
double terms(const OpCase& c) { return static_cast<double>(c.tensors[0].back()); }

}  // namespace

OpEntry entry_layer_norm() {
  return operation("layer_norm", "normalisation over the last axis (Ba, Kiros, Hinton 2016)", "any tensor",
                   "64x128x1024, 128x64x1024", "8x16x256", one_normal, call, error, flop, terms);
}

}  // namespace gpubench::layer_norm_plugin
