#include <ATen/ops/ones.h>
#include <ATen/ops/sum.h>

#include <cmath>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::sums_plugin {
namespace {

at::Tensor sum(const Tensors& inputs, const OpCase& c) {
  return at::sum(inputs[0], at::IntArrayRef{*c.axis});
}

/// A product with ones.
double sum_error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  const at::Tensor last = inputs[0].movedim(*c.axis, -1);
  return distance(last.matmul(at::ones({last.size(-1)}, last.options())), result);
}

at::Tensor sum_all(const Tensors& inputs, const OpCase&) { return at::sum(inputs[0]); }

/// A product with ones. The sum itself may be near 0 by chance, so its usual size is the scale.
double sum_all_error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  const at::Tensor flat = inputs[0].flatten();
  const double usual = std::sqrt(static_cast<double>(flat.numel()));
  return distance(flat.dot(at::ones({flat.numel()}, flat.options())), result, usual);
}

}  // namespace

OpEntry entry_sum() {
  return operation(
      "sum", "sum along an axis", "any tensor, axis=A",
      "64x128x128x128 axis=0, 64x128x128x128 axis=1, 64x128x128x128 axis=2, 64x128x128x128 axis=3",
      "16x32x64 axis=0, 16x32x64 axis=2", one_normal_with_axis, sum, sum_error, count_values, length_of_axis);
}

OpEntry entry_sum_all() {
  return operation("sum_all", "sum of all values", "any tensor",
                   "64x128x128x128, 1000000, 1000000x128, 128x1000000", "100000, 1000x128", one_normal,
                   sum_all, sum_all_error, count_values, count_values);
}

}  // namespace gpubench::sums_plugin
