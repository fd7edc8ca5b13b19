#include <ATen/ops/ones.h>
#include <ATen/ops/sum.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench {
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
  return {"sum",
          "sum along an axis",
          "any tensor, axis=A",
          {{{{64, 128, 128, 128}}, 0},
           {{{64, 128, 128, 128}}, 1},
           {{{64, 128, 128, 128}}, 2},
           {{{64, 128, 128, 128}}, 3}},
          {{{{16, 32, 64}}, 0}, {{{16, 32, 64}}, 2}},
          one_normal_with_axis,
          call,
          error,
          one_flop_each,
          length_of_axis};
}

}  // namespace gpubench
