#include <ATen/ops/leaky_relu.h>

#include "ops/entries.h"
#include "ops/parts.h"

namespace gpubench {
namespace {

at::Tensor call(const Tensors& inputs, const OpCase&) { return at::leaky_relu(inputs[0], 0.01); }

double error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  const at::Tensor& x = inputs[0];
  return distance(x.maximum(0.01 * x), result);
}

}  // namespace

OpEntry entry_leaky_relu() {
  return activation("leaky_relu", "x, or 0.01 x below 0", call, error, one_flop_each);
}

}  // namespace gpubench
