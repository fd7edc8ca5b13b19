// Operations along an axis or over all values: sums, order, normalization, concatenation.

#include <cmath>

#include "ops/parts.h"

namespace gpubench::axes_plugin {
namespace {

/// Compares the values at the positions, since equal values make several positions correct.
double argmax_error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  const at::Tensor largest = inputs[0].amax(*c.axis);
  if (result.sizes() != largest.sizes()) return distance(largest, result);
  const at::Tensor found =
      inputs[0].gather(*c.axis, result.to(at::kLong).unsqueeze(*c.axis)).squeeze(*c.axis);
  return distance(largest, found);
}

double sum_error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  const at::Tensor last = inputs[0].movedim(*c.axis, -1);
  return distance(last.matmul(at::ones({last.size(-1)}, last.options())), result);
}

/// Uses a product with ones as the reference. The sum may be near 0, so its standard deviation is the scale.
double sum_all_error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  const at::Tensor flat = inputs[0].flatten();
  const double deviation = std::sqrt(static_cast<double>(flat.numel()));
  return distance(flat.dot(at::ones({flat.numel()}, flat.options())), result, deviation);
}

double softmax_error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  const at::Tensor expected = (inputs[0] - inputs[0].amax(*c.axis, true)).exp_();
  expected.div_(expected.sum(*c.axis, true));
  // Along long axes all values are far below 1.
  return distance(expected, result, 1 / static_cast<double>(inputs[0].size(*c.axis)));
}

Tensors concat_inputs(const OpCase& c, const Random& random) {
  const std::string expected = "two tensors that differ in the axis only, and an axis";
  require_sizes(c.tensors.size() == 2 && c.tensors[0].size() == c.tensors[1].size(), c, expected);
  const auto axis = static_cast<std::size_t>(require_axis(c));
  for (std::size_t i = 0; i < c.tensors[0].size(); ++i) {
    require_sizes(i == axis || c.tensors[0][i] == c.tensors[1][i], c, expected);
  }
  return all_normal(c, random);
}

double concat_error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  const std::int64_t first = inputs[0].size(*c.axis);
  Sizes sizes = inputs[0].sizes().vec();
  sizes[static_cast<std::size_t>(require_axis(c))] += inputs[1].size(*c.axis);
  const at::Tensor expected = at::empty(sizes, inputs[0].options());
  expected.narrow(*c.axis, 0, first).copy_(inputs[0]);
  expected.narrow(*c.axis, first, inputs[1].size(*c.axis)).copy_(inputs[1]);
  return distance(expected, result);
}

/// Softmax: maximum, difference, exponential, sum, quotient. Layer normalization: mean, difference, square,
/// mean of squares, quotient.
double five_each(const OpCase& c) { return 5 * get_count(c, 0); }

}  // namespace

OpFunctions make_argmax() {
  return {one_normal_with_axis,
          [](const Tensors& inputs, const OpCase& c) { return at::argmax(inputs[0], *c.axis); }, argmax_error,
          count_values};
}

OpFunctions make_concat() {
  return {concat_inputs, [](const Tensors& inputs, const OpCase& c) { return at::cat(inputs, *c.axis); },
          concat_error};
}

OpFunctions make_sort() {
  return {one_normal_with_axis,
          [](const Tensors& inputs, const OpCase& c) { return std::get<0>(at::sort(inputs[0], *c.axis)); },
          [](const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
            return distance(std::get<0>(inputs[0].neg().sort(*c.axis, /*descending=*/true)).neg(), result);
          }};
}

OpFunctions make_sum() {
  return {one_normal_with_axis,
          [](const Tensors& inputs, const OpCase& c) { return at::sum(inputs[0], at::IntArrayRef{*c.axis}); },
          sum_error, count_values, length_of_axis};
}

OpFunctions make_sum_all() {
  return {one_normal, [](const Tensors& inputs, const OpCase&) { return at::sum(inputs[0]); }, sum_all_error,
          count_values, count_values};
}

OpFunctions make_softmax() {
  return {one_normal_with_axis,
          [](const Tensors& inputs, const OpCase& c) { return at::softmax(inputs[0], *c.axis); },
          softmax_error, five_each, length_of_axis};
}

OpFunctions make_layer_norm() {
  constexpr double kEpsilon = 1e-5;
  return {one_normal,
          [](const Tensors& inputs, const OpCase& c) {
            return at::layer_norm(inputs[0], {c.tensors[0].back()}, {}, {}, kEpsilon);
          },
          [](const Tensors& inputs, const at::Tensor& result, const OpCase&) {
            const at::Tensor centered = inputs[0] - inputs[0].mean(-1, true);
            return distance(centered / (centered.square().mean(-1, true) + kEpsilon).sqrt(), result);
          },
          five_each, [](const OpCase& c) { return static_cast<double>(c.tensors[0].back()); }};
}

}  // namespace gpubench::axes_plugin
