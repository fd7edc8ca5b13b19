// Activation functions, and binary cross-entropy.

#include "ops/parts.h"

namespace gpubench::activations_plugin {
namespace {

/// `reference` computes the function in a different way.
OpFunctions activation(double flop_each, at::Tensor (*function)(const at::Tensor&),
                       at::Tensor (*reference)(const at::Tensor&)) {
  return {one_normal, [function](const Tensors& inputs, const OpCase&) { return function(inputs[0]); },
          [reference](const Tensors& inputs, const at::Tensor& result, const OpCase&) {
            return distance(reference(inputs[0]), result);
          },
          [flop_each](const OpCase& c) { return flop_each * get_count(c, 0); }};
}

}  // namespace

OpFunctions make_bce() {
  const auto make_inputs = [](const OpCase& c, const Random& random) -> Tensors {
    require_sizes(c.tensors.size() == 2 && c.tensors[0] == c.tensors[1], c, "two tensors of equal sizes");
    return {probabilities(c.tensors[0], random), probabilities(c.tensors[1], random)};
  };
  const auto error = [](const Tensors& inputs, const at::Tensor& result, const OpCase&) {
    const at::Tensor& p = inputs[0];
    const at::Tensor& target = inputs[1];
    return distance(-(target * p.log() + (1 - target) * (1 - p).log()).mean(), result);
  };
  // Two logarithms (one operation each), two products, three sums.
  const auto flop = [](const OpCase& c) { return 7 * get_count(c, 0); };
  return {make_inputs,
          [](const Tensors& inputs, const OpCase&) { return at::binary_cross_entropy(inputs[0], inputs[1]); },
          error, flop, count_values};
}

OpFunctions make_leaky_relu() {
  return activation(
      1, [](const at::Tensor& x) { return at::leaky_relu(x, 0.01); },
      [](const at::Tensor& x) { return x.maximum(0.01 * x); });
}

OpFunctions make_prelu() {
  return {[](const OpCase& c, const Random& random) {
            const bool has_slope = c.tensors.size() == 2 && c.tensors[1] == Sizes{1};
            require_sizes(has_slope, c, "a tensor and 1, the number of slopes");
            return all_normal(c, random);
          },
          [](const Tensors& inputs, const OpCase&) { return at::prelu(inputs[0], inputs[1]); },
          [](const Tensors& inputs, const at::Tensor& result, const OpCase&) {
            return distance(inputs[0].clamp_min(0) + inputs[1] * inputs[0].clamp_max(0), result);
          },
          count_values};
}

OpFunctions make_relu() {
  return activation(1, at::relu, [](const at::Tensor& x) { return x.mul(x.gt(0)); });
}

OpFunctions make_selu() {
  constexpr double kAlpha = 1.6732632423543772;
  constexpr double kScale = 1.0507009873554805;
  return activation(4, at::selu, [](const at::Tensor& x) -> at::Tensor {
    return kScale * (x.clamp_min(0) + kAlpha * (x.clamp_max(0).exp() - 1));
  });
}

OpFunctions make_sigmoid() {
  return activation(4, at::sigmoid, [](const at::Tensor& x) { return 1 / (1 + (-x).exp()); });
}

OpFunctions make_softplus() {
  return activation(
      3, [](const at::Tensor& x) { return at::softplus(x); },
      [](const at::Tensor& x) { return x.clamp_min(0) + (-x.abs()).exp().add(1).log(); });
}

}  // namespace gpubench::activations_plugin
