#include <ATen/ops/argmax.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::argmax_plugin {
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
  return operation("argmax", "position of the largest value along an axis", "any tensor, axis=A",
                   "64x1024x128 axis=0, 64x1024x128 axis=1, 64x1024x128 axis=2, 64x128x1024 axis=2",
                   "16x64x128 axis=0, 16x64x128 axis=2", one_normal_with_axis, call, error, count_values);
}

}  // namespace gpubench::argmax_plugin
