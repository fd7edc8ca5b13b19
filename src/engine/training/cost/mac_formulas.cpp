#include "engine/training/cost/mac_formulas.h"

#include <algorithm>

#include <ATen/core/Tensor.h>

namespace gpubench {
namespace {

using at::Tensor;

/// Product of a [.., n, k] tensor and one that is [.., k, m] or [k].
std::int64_t product_of_first(OperationInputs inputs) {
  const Tensor& factor = inputs[1].toTensor();
  return inputs[0].toTensor().numel() * (factor.dim() > 1 ? factor.size(-1) : 1);
}

/// The input before the two factors is added to their product.
std::int64_t product_of_second(OperationInputs inputs) { return product_of_first(inputs.slice(1)); }

/// A weight is [outputs, features].
std::int64_t linear(OperationInputs inputs) {
  const Tensor& weight = inputs[1].toTensor();
  return inputs[0].toTensor().numel() * (weight.dim() > 1 ? weight.size(0) : 1);
}

/// How many of the gradients of input and weight a backward operation is asked for; each costs as much as the
/// forward one, and that of the bias nothing.
std::int64_t gradients(const c10::IValue& output_mask) {
  const auto mask = output_mask.toBoolList();
  return std::int64_t{mask[0]} + std::int64_t{mask[1]};
}

std::int64_t linear_backward(OperationInputs inputs) {
  const Tensor& weight = inputs[2].toTensor();
  const std::int64_t forward = inputs[1].toTensor().numel() * (weight.dim() > 1 ? weight.size(1) : 1);
  return gradients(inputs[3]) * forward;
}

/// Samples and places of a tensor that has its channels in dimension 1.
std::int64_t positions(const Tensor& tensor) {
  return tensor.size(1) > 0 ? tensor.numel() / tensor.size(1) : 0;
}

/// Positions of the output of a convolution that is not transposed; `parameters`: stride, padding, dilation.
std::int64_t output_positions(const Tensor& input, const Tensor& weight, OperationInputs parameters) {
  const auto of_dimension = [](const c10::IValue& list, std::int64_t i) {
    const auto values = list.toIntVector();
    return values[std::min(static_cast<std::size_t>(i), values.size() - 1)];  // One value may stand for all.
  };
  std::int64_t count = input.size(0);
  for (std::int64_t i = 0; i + 2 < input.dim(); ++i) {
    const std::int64_t padded = input.size(i + 2) + 2 * of_dimension(parameters[1], i);
    const std::int64_t reach = of_dimension(parameters[2], i) * (weight.size(i + 2) - 1);
    count *= (padded - reach - 1) / of_dimension(parameters[0], i) + 1;
  }
  return count;
}

/// Each weight meets each output position once, or, in a transposed convolution, each input position.
std::int64_t convolution(OperationInputs inputs) {
  const Tensor& input = inputs[0].toTensor();
  const Tensor& weight = inputs[1].toTensor();
  const bool is_transposed = inputs[6].toBool();
  return weight.numel() *
         (is_transposed ? positions(input) : output_positions(input, weight, inputs.slice(3, 3)));
}

std::int64_t convolution_backward(OperationInputs inputs) {
  const bool is_transposed = inputs[7].toBool();
  const Tensor& walked = inputs[is_transposed ? 1 : 0].toTensor();
  return gradients(inputs[10]) * inputs[2].toTensor().numel() * positions(walked);
}

/// Each weight matrix meets each element of the sequences once; biases are vectors.
std::int64_t recurrent(const Tensor& sequences, OperationInputs weights) {
  std::int64_t sum = 0;
  const auto add = [&](const Tensor& weight) { sum += weight.dim() == 2 ? weight.numel() : 0; };
  for (const c10::IValue& value : weights) {
    if (value.isTensor()) add(value.toTensor());
    if (value.isTensorList()) {
      for (const Tensor& weight : value.toTensorVector()) add(weight);
    }
  }
  return sequences.numel() / std::max<std::int64_t>(1, sequences.size(-1)) * sum;
}

/// Packed sequences come with their batch sizes, one argument more before the parameters.
std::int64_t lstm(OperationInputs inputs) {
  return recurrent(inputs[0].toTensor(), inputs.slice(inputs[1].isTensor() ? 3 : 2, 1));
}

// The backward passes of whole recurrent layers compute the gradients of input and weights together, whether
// both are asked for or not.
template <std::size_t sequences, std::size_t first_weight, std::size_t weights>
std::int64_t recurrent_backward(OperationInputs inputs) {
  return 2 * recurrent(inputs[sequences].toTensor(), inputs.slice(first_weight, weights));
}

/// Scores of queries [.., n, e] with keys [.., k, e], and their product with values [.., k, v].
std::int64_t attention(OperationInputs inputs) {
  const Tensor& queries = inputs[0].toTensor();
  const Tensor& keys = inputs[1].toTensor();
  const std::int64_t depth = std::max<std::int64_t>(1, queries.size(-1));
  return queries.numel() / depth * keys.size(-2) * (depth + inputs[2].toTensor().size(-1));
}

/// The gradients of both products. That some kernels compute the scores again to save memory is no work of
/// the model's.
std::int64_t attention_backward(OperationInputs inputs) { return 2 * attention(inputs.slice(1)); }

struct Formula {
  std::string_view name;
  std::int64_t (*macs)(OperationInputs inputs);
};

constexpr std::string_view kAttention = "aten::_scaled_dot_product_";  // One for each kind of kernel.

constexpr Formula kFormulas[] = {
    {"aten::mm", product_of_first},
    {"aten::bmm", product_of_first},
    {"aten::mv", product_of_first},
    {"aten::dot", product_of_first},
    {"aten::addmm", product_of_second},
    {"aten::addbmm", product_of_second},
    {"aten::baddbmm", product_of_second},
    {"aten::addmv", product_of_second},
    {"aten::_addmm_activation", product_of_second},
    {"aten::linear", linear},
    {"mkldnn::_linear_pointwise", linear},
    {"aten::linear_backward", linear_backward},
    {"aten::convolution", convolution},
    {"aten::convolution_backward", convolution_backward},
    {"aten::lstm", lstm},
    {"aten::_cudnn_rnn_backward", recurrent_backward<0, 1, 1>},
    {"aten::miopen_rnn_backward", recurrent_backward<0, 1, 1>},
    {"aten::mkldnn_rnn_layer_backward", recurrent_backward<0, 1, 4>},
    {"aten::lstm_mps_backward", recurrent_backward<5, 8, 1>},
};

/// nullptr where there is none.
auto formula_of(std::string_view name) -> decltype(Formula::macs) {
  if (name.starts_with(kAttention)) return name.ends_with("_backward") ? attention_backward : attention;
  if (name.ends_with('_')) name.remove_suffix(1);  // "aten::addmm_" updates its first input in place.
  const auto* const found = std::ranges::find(kFormulas, name, &Formula::name);
  return found == std::end(kFormulas) ? nullptr : found->macs;
}

bool has_integers(OperationInputs inputs) {
  const auto* const first = std::ranges::find_if(inputs, &c10::IValue::isTensor);
  return first != inputs.end() && first->toTensor().defined() &&
         at::isIntegralType(first->toTensor().scalar_type(), /*includeBool=*/true);
}

}  // namespace

std::optional<std::int64_t> macs_of(std::string_view name, OperationInputs inputs) {
  const auto formula = formula_of(name);
  if (formula == nullptr || inputs.empty()) return std::nullopt;
  return has_integers(inputs) ? 0 : formula(inputs);
}

}  // namespace gpubench
