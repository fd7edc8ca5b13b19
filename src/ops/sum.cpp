#include <ATen/ops/ones.h>
#include <ATen/ops/sum.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::sum_plugin {
namespace {

at::Tensor call(const Tensors& inputs, const OpCase& c) {
  return at::sum(inputs[0], at::IntArrayRef{*c.axis});
}

/// A product with ones.
double error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  const at::Tensor last = inputs[0].movedim(*c.axis, -1);
  return distance(last.matmul(at::ones({last.size(-1)}, last.options())), result);
}

}  // namespace

OpEntry entry_sum() {
  return operation(
      "sum", "sum along an axis", "any tensor, axis=A",
      "64x128x128x128 axis=0, 64x128x128x128 axis=1, 64x128x128x128 axis=2, 64x128x128x128 axis=3",
      "16x32x64 axis=0, 16x32x64 axis=2", one_normal_with_axis, call, error, count_values, length_of_axis);
}

}  // namespace gpubench::sum_plugin
