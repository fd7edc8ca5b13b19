#include <ATen/ops/sort.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::sort_plugin {
namespace {

at::Tensor call(const Tensors& inputs, const OpCase& c) { return std::get<0>(at::sort(inputs[0], *c.axis)); }

/// Sorted in the other direction and turned round, so that an axis that is ignored shows.
double error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  return distance(std::get<0>(inputs[0].neg().sort(*c.axis, true)).neg(), result);
}

}  // namespace

OpEntry entry_sort() {
  return operation("sort", "values in rising order along an axis", "any tensor, axis=A",
                   "64x128x1024 axis=0, 64x128x1024 axis=1, 64x128x1024 axis=2",
                   "16x32x256 axis=0, 16x32x256 axis=2", one_normal_with_axis, call, error);
}

}  // namespace gpubench::sort_plugin
