#include <ATen/ops/sort.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench {
namespace {

at::Tensor call(const Tensors& inputs, const OpCase& c) { return std::get<0>(at::sort(inputs[0], *c.axis)); }

/// Sorted in the other direction and turned round, so that an axis that is ignored shows.
double error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  return distance(std::get<0>(inputs[0].neg().sort(*c.axis, true)).neg(), result);
}

}  // namespace

OpEntry entry_sort() {
  return {"sort",
          "values in rising order along an axis",
          "any tensor, axis=A",
          {{{{64, 128, 1024}}, 0}, {{{64, 128, 1024}}, 1}, {{{64, 128, 1024}}, 2}},
          {{{{16, 32, 256}}, 0}, {{{16, 32, 256}}, 2}},
          one_normal_with_axis,
          call,
          error};
}

}  // namespace gpubench
