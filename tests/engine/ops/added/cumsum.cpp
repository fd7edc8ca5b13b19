#include <ATen/ops/cumsum.h>
#include <ATen/ops/ones.h>

#include "ops/parts.h"

namespace gpubench::cumsum_plugin {
namespace {

at::Tensor call(const Tensors& inputs, const OpCase& c) { return at::cumsum(inputs[0], *c.axis); }

/// A product with a triangle of ones.
double error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  const at::Tensor last = inputs[0].movedim(*c.axis, -1);
  const at::Tensor triangle = at::ones({last.size(-1), last.size(-1)}, last.options()).triu();
  return distance(last.matmul(triangle).movedim(-1, *c.axis), result);
}

}  // namespace

OpEntry entry_cumsum() {
  return operation("cumsum", "running sum along an axis", "any tensor, axis=A", "64x128x1024 axis=2",
                   "8x16x64 axis=1", one_normal_with_axis, call, error, count_values, length_of_axis,
                   Sums::kInOwnType);
}

}  // namespace gpubench::cumsum_plugin
