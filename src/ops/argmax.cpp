#include <ATen/ops/argmax.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench {
namespace {

at::Tensor call(const Tensors& inputs, const OpCase& c) { return at::argmax(inputs[0], *c.axis); }

/// Equal values may make several positions right, so the value at the position counts.
double error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  const at::Tensor largest = inputs[0].amax(*c.axis);
  if (result.sizes() != largest.sizes()) return distance(largest, result);
  const at::Tensor found =
      inputs[0].gather(*c.axis, result.to(at::kLong).unsqueeze(*c.axis)).squeeze(*c.axis);
  return distance(largest, found);
}

}  // namespace

OpEntry entry_argmax() {
  return {"argmax",
          "position of the largest value along an axis",
          "any tensor, axis=A",
          {{{{64, 1024, 128}}, 0}, {{{64, 1024, 128}}, 1}, {{{64, 1024, 128}}, 2}, {{{64, 128, 1024}}, 2}},
          {{{{16, 64, 128}}, 0}, {{{16, 64, 128}}, 2}},
          one_normal_with_axis,
          call,
          error,
          one_flop_each};
}

}  // namespace gpubench
