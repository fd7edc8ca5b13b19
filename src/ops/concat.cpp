#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench {
namespace {

Tensors inputs(const OpCase& c, const Random& random) {
  const std::string expected = "two tensors that differ in the axis only, and an axis,";
  require_sizes(c.tensors.size() == 2 && c.tensors[0].size() == c.tensors[1].size(), c, expected);
  const auto axis = static_cast<std::size_t>(require_axis(c));
  for (std::size_t i = 0; i < c.tensors[0].size(); ++i) {
    require_sizes(i == axis || c.tensors[0][i] == c.tensors[1][i], c, expected);
  }
  return {normal(c.tensors[0], random), normal(c.tensors[1], random)};
}

at::Tensor call(const Tensors& inputs, const OpCase& c) { return at::cat(inputs, *c.axis); }

double error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  const std::int64_t first = inputs[0].size(*c.axis);
  Sizes sizes = inputs[0].sizes().vec();
  sizes[static_cast<std::size_t>(require_axis(c))] += inputs[1].size(*c.axis);
  const at::Tensor expected = at::empty(sizes, inputs[0].options());
  expected.narrow(*c.axis, 0, first).copy_(inputs[0]);
  expected.narrow(*c.axis, first, inputs[1].size(*c.axis)).copy_(inputs[1]);
  return distance(expected, result);
}

}  // namespace

OpEntry entry_concat() {
  return {"concat",
          "two tensors behind each other along an axis",
          "two tensors, axis=A",
          {{{{1000000, 64}, {1000000, 32}}, 1},
           {{{1000000, 64}, {1000000, 128}}, 1},
           {{{1000000, 64}, {1000000, 64}}, 0},
           {{{64, 1000000}, {64, 1000000}}, 0}},
          {{{{10000, 64}, {10000, 32}}, 1}, {{{64, 10000}, {64, 10000}}, 0}},
          inputs,
          call,
          error};
}

}  // namespace gpubench
