#include <ATen/ops/relu.h>

#include "ops/entries.h"
#include "ops/parts.h"

namespace gpubench {
namespace {

at::Tensor call(const Tensors& inputs, const OpCase&) { return at::relu(inputs[0]); }

double error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  const at::Tensor& x = inputs[0];
  return distance(x.mul(x.gt(0)), result);
}

}  // namespace

OpEntry entry_relu() { return activation("relu", "max(x, 0)", call, error, one_flop_each); }

}  // namespace gpubench
