#include <ATen/ops/index_put.h>
#include <ATen/ops/zeros_like.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::scatter_plugin {
namespace {

at::Tensor call(const Tensors& inputs, const OpCase&) {
  return at::index_put(inputs[0], {inputs[1]}, inputs[2]);
}

/// Of several new values for one place any may win: each place has one of them, or its old value.
double error(const Tensors& inputs, const at::Tensor& found, const OpCase&) {
  if (found.sizes() != inputs[0].sizes()) return distance(inputs[0], found);
  const at::Tensor result = found.to(at::kDouble);
  const at::Tensor places = inputs[1].unsqueeze(1).expand_as(inputs[2]);
  const at::Tensor is_there = inputs[2].eq(result.gather(0, places)).to(at::kDouble);
  const at::Tensor is_old = at::zeros_like(inputs[0]).index_fill(0, inputs[1], -1).add(1);
  const at::Tensor is_right =
      result.eq(inputs[0]).to(at::kDouble).mul(is_old).scatter_reduce(0, places, is_there, "amax");
  return 1 - is_right.min().item<double>();
}

}  // namespace

OpEntry entry_scatter() {
  return by_index("scatter", "rows put into a matrix at random indices; of several for one place any may win",
                  "64x16", call, error);
}

}  // namespace gpubench::scatter_plugin
