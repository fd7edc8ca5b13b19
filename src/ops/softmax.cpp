#include <ATen/ops/softmax.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::softmax_plugin {
namespace {

at::Tensor call(const Tensors& inputs, const OpCase& c) { return at::softmax(inputs[0], *c.axis); }

double error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  const at::Tensor expected = (inputs[0] - inputs[0].amax(*c.axis, true)).exp_();
  expected.div_(expected.sum(*c.axis, true));
  // Values of long axes are far below 1.
  return distance(expected, result, 1 / static_cast<double>(inputs[0].size(*c.axis)));
}

/// Largest value, difference, power, sum, quotient.
double flop(const OpCase& c) { return 5 * get_count(c, 0); }

}  // namespace

OpEntry entry_softmax() {
  return operation("softmax", "softmax along an axis", "any tensor, axis=A",
                   "64x1000000 axis=-1, 1000000x64 axis=-1, 64x16x32x1024 axis=-1, 128x16x32x1024 axis=-1, "
                   "1024x16x32x128 axis=-1, 1024x64x32x8 axis=-1",
                   "64x10000 axis=-1, 1000x64 axis=-1, 8x16x32x64 axis=-1", one_normal_with_axis, call, error,
                   flop, length_of_axis);
}

}  // namespace gpubench::softmax_plugin
