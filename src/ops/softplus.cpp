#include <ATen/ops/softplus.h>

#include "ops/entries.h"
#include "ops/parts.h"

namespace gpubench {
namespace {

double flop(const OpCase& c) { return 3 * count_of(c, 0); }

at::Tensor call(const Tensors& inputs, const OpCase&) { return at::softplus(inputs[0]); }

double error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  const at::Tensor& x = inputs[0];
  return distance(x.clamp_min(0) + (-x.abs()).exp().add(1).log(), result);
}

}  // namespace

OpEntry entry_softplus() { return activation("softplus", "log(1 + exp(x))", call, error, flop); }

}  // namespace gpubench
