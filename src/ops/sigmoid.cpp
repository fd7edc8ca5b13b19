#include <ATen/ops/sigmoid.h>

#include "ops/entries.h"
#include "ops/parts.h"

namespace gpubench {
namespace {

double flop(const OpCase& c) { return 4 * count_of(c, 0); }

at::Tensor call(const Tensors& inputs, const OpCase&) { return at::sigmoid(inputs[0]); }

double error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  const at::Tensor& x = inputs[0];
  return distance(1 / (1 + (-x).exp()), result);
}

}  // namespace

OpEntry entry_sigmoid() { return activation("sigmoid", "1 / (1 + exp(-x))", call, error, flop); }

}  // namespace gpubench
