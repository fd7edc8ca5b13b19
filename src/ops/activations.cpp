// Functions of each value, and their binary cross-entropy.

#include "ops/parts.h"

namespace gpubench::activations_plugin {
namespace {

/// `right` computes the function another way.
OpEntry activation(const char* name, const char* summary, double flop_each,
                   at::Tensor (*function)(const at::Tensor&), at::Tensor (*right)(const at::Tensor&)) {
  const auto call = [function](const Tensors& inputs, const OpCase&) { return function(inputs[0]); };
  const auto error = [right](const Tensors& inputs, const at::Tensor& result, const OpCase&) {
    return distance(right(inputs[0]), result);
  };
  const auto flop = [flop_each](const OpCase& c) { return flop_each * get_count(c, 0); };
  return operation(name, summary, "any tensor", "128x16x1024, 64x128x1024", "16x16x1024", one_normal, call,
                   error, flop);
}

Tensors prelu_inputs(const OpCase& c, const Random& random) {
  require_sizes(c.tensors.size() == 2 && c.tensors[1] == Sizes{1}, c,
                "a tensor and 1, the number of slopes,");
  return all_normal(c, random);
}

double prelu_error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  return distance(inputs[0].clamp_min(0) + inputs[1] * inputs[0].clamp_max(0), result);
}

Tensors bce_inputs(const OpCase& c, const Random& random) {
  require_sizes(c.tensors.size() == 2 && c.tensors[0] == c.tensors[1], c, "two tensors of the same sizes");
  return {probabilities(c.tensors[0], random), probabilities(c.tensors[1], random)};
}

double bce_error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  const at::Tensor& p = inputs[0];
  const at::Tensor& target = inputs[1];
  return distance(-(target * p.log() + (1 - target) * (1 - p).log()).mean(), result);
}

/// Two logarithms, counted as one operation each, two products, three sums.
double bce_flop(const OpCase& c) { return 7 * get_count(c, 0); }

}  // namespace

OpEntry entry_bce() {
  return operation(
      "bce", "mean binary cross-entropy of probabilities", "two tensors of the same sizes",
      "1000000 1000000, 100000x32 100000x32, 100000x64x2 100000x64x2, 128x100000 128x100000",
      "100000 100000, 1000x32 1000x32", bce_inputs,
      [](const Tensors& inputs, const OpCase&) { return at::binary_cross_entropy(inputs[0], inputs[1]); },
      bce_error, bce_flop, count_values);
}

OpEntry entry_leaky_relu() {
  return activation(
      "leaky_relu", "x, or 0.01 x below 0", 1, [](const at::Tensor& x) { return at::leaky_relu(x, 0.01); },
      [](const at::Tensor& x) { return x.maximum(0.01 * x); });
}

OpEntry entry_prelu() {
  return operation(
      "prelu", "x, or a learned slope times x below 0", "any tensor, 1", "128x16x1024 1, 64x128x1024 1",
      "16x16x1024 1", prelu_inputs,
      [](const Tensors& inputs, const OpCase&) { return at::prelu(inputs[0], inputs[1]); }, prelu_error,
      count_values);
}

OpEntry entry_relu() {
  return activation("relu", "max(x, 0)", 1, at::relu, [](const at::Tensor& x) { return x.mul(x.gt(0)); });
}

OpEntry entry_selu() {
  constexpr double kAlpha = 1.6732632423543772;
  constexpr double kScale = 1.0507009873554805;
  return activation("selu", "scaled exponential linear unit (Klambauer et al. 2017)", 4, at::selu,
                    [](const at::Tensor& x) -> at::Tensor {
                      return kScale * (x.clamp_min(0) + kAlpha * (x.clamp_max(0).exp() - 1));
                    });
}

OpEntry entry_sigmoid() {
  return activation("sigmoid", "1 / (1 + exp(-x))", 4, at::sigmoid,
                    [](const at::Tensor& x) { return 1 / (1 + (-x).exp()); });
}

OpEntry entry_softplus() {
  return activation(
      "softplus", "log(1 + exp(x))", 3, [](const at::Tensor& x) { return at::softplus(x); },
      [](const at::Tensor& x) { return x.clamp_min(0) + (-x.abs()).exp().add(1).log(); });
}

}  // namespace gpubench::activations_plugin
