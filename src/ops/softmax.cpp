#include <ATen/ops/softmax.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench {
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
OpCase last_axis(const Sizes& sizes) { return {{sizes}, -1}; }

}  // namespace

OpEntry entry_softmax() {
  return {"softmax",
          "softmax along an axis",
          "any tensor, axis=A",
          {last_axis({64, 1000000}), last_axis({1000000, 64}), last_axis({64, 16, 32, 1024}),
           last_axis({128, 16, 32, 1024}), last_axis({1024, 16, 32, 128}), last_axis({1024, 64, 32, 8})},
          {last_axis({64, 10000}), last_axis({1000, 64}), last_axis({8, 16, 32, 64})},
          one_normal_with_axis,
          call,
          error,
          flop,
          length_of_axis};
}

}  // namespace gpubench
