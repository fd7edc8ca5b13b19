#include "ops/parts.h"

namespace gpubench::concat_plugin {
namespace {

Tensors inputs(const OpCase& c, const Random& random) {
  const std::string expected = "two tensors that differ in the axis only, and an axis,";
  require_sizes(c.tensors.size() == 2 && c.tensors[0].size() == c.tensors[1].size(), c, expected);
  const auto axis = static_cast<std::size_t>(require_axis(c));
  for (std::size_t i = 0; i < c.tensors[0].size(); ++i) {
    require_sizes(i == axis || c.tensors[0][i] == c.tensors[1][i], c, expected);
  }
  return all_normal(c, random);
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

OpFunctions make_concat() { return {inputs, call, error}; }

}  // namespace gpubench::concat_plugin
