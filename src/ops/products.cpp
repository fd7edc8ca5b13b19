// Matrix products, dense layers and attention.

#include <algorithm>
#include <cmath>

#include "ops/parts.h"

namespace gpubench::products_plugin {
namespace {

Tensors matmul_inputs(const OpCase& c, const Random& random) {
  const char* const expected = "MxK and KxN, each optionally with a leading batch size";
  bool is_true = c.tensors.size() == 2 && !c.axis;
  for (const auto& sizes : c.tensors) is_true = is_true && (sizes.size() == 2 || sizes.size() == 3);
  require_sizes(is_true && c.tensors[0].back() == c.tensors[1].end()[-2], c, expected);
  const bool are_batched = c.tensors[0].size() == 3 && c.tensors[1].size() == 3;
  require_sizes(!are_batched || c.tensors[0][0] == c.tensors[1][0], c, expected);
  return all_normal(c, random);
}

/// FLOP that take about a minute in fp64 on a CPU.
constexpr double kMostFlop = 3e11;

/// Returns the error of a product too large to repeat, by comparison with A (B v) for a random v of +-1
/// (Freivalds 1979). Rounding errors of a row grow with the root of their number.
double sampled_error(const at::Tensor& left, const at::Tensor& right, const at::Tensor& result) {
  const at::Tensor signs = at::randint(2, {right.size(1)}, right.options()).mul_(2).sub_(1);
  const at::Tensor wide = result.to(at::kDouble);
  const double difference = (wide.mv(signs) - left.mv(right.mv(signs))).abs().max().item<double>();
  const double scale = std::max(1.0, wide.abs().max().item<double>());
  return difference / std::sqrt(static_cast<double>(right.size(1))) / scale;
}

/// Returns the error of a product, computed in blocks of rows to save memory.
double product_error(const at::Tensor& left, const at::Tensor& right, const at::Tensor& result) {
  constexpr std::int64_t kMostAtOnce = 1 << 24;
  if (result.dim() != 2 || result.size(0) != left.size(0) || result.size(1) != right.size(1)) {
    return distance(left, result.reshape(-1));
  }
  const double flop = 2 * static_cast<double>(left.numel()) * static_cast<double>(right.size(1));
  if (flop > kMostFlop) return sampled_error(left, right, result);
  const std::int64_t rows = std::max<std::int64_t>(1, kMostAtOnce / right.size(1));
  double worst = 0;
  for (std::int64_t begin = 0; begin < left.size(0); begin += rows) {
    const std::int64_t count = std::min(rows, left.size(0) - begin);
    const at::Tensor block = left.narrow(0, begin, count).mm(right);
    worst = std::max(worst, distance(block, result.narrow(0, begin, count)));
  }
  return worst;
}

/// Returns the largest error over the products of a batch.
double matmul_error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  const at::Tensor& left = inputs[0];
  const at::Tensor& right = inputs[1];
  if (left.dim() == 2 && right.dim() == 2) return product_error(left, right, result);
  const std::int64_t batch = left.dim() == 3 ? left.size(0) : right.size(0);
  if (result.dim() != 3 || result.size(0) != batch) return distance(left, result.reshape(-1));
  double worst = 0;
  for (std::int64_t i = 0; i < batch; ++i) {
    const at::Tensor part = left.dim() == 3 ? left[i] : left;
    worst = std::max(worst, product_error(part, right.dim() == 3 ? right[i] : right, result[i]));
  }
  return worst;
}

double matmul_terms(const OpCase& c) { return static_cast<double>(c.tensors[0].back()); }

double matmul_flop(const OpCase& c) {
  const bool is_left_alone = c.tensors[0].size() == 2 && c.tensors[1].size() == 3;
  const double batch = is_left_alone ? static_cast<double>(c.tensors[1][0]) : 1;
  return 2 * batch * get_count(c, 0) * static_cast<double>(c.tensors[1].back());
}

Tensors linear_inputs(const OpCase& c, const Random& random) {
  const char* const expected = "BxNxK KxM M";
  require_ranks(c, {3, 2, 1}, expected);
  const auto& sizes = c.tensors;
  require_sizes(sizes[0][2] == sizes[1][0] && sizes[1][1] == sizes[2][0], c, expected);
  // LibTorch's weights are transposed.
  return {normal(sizes[0], random), normal({sizes[1][1], sizes[1][0]}, random), normal(sizes[2], random)};
}

double linear_error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  const at::Tensor rows = inputs[0].reshape({-1, c.tensors[0][2]});
  const at::Tensor expected = rows.mm(inputs[1].t()) + inputs[2];
  return distance(expected.reshape({c.tensors[0][0], c.tensors[0][1], c.tensors[1][1]}), result);
}

double linear_terms(const OpCase& c) { return static_cast<double>(c.tensors[0][2]) + 1; }

double linear_flop(const OpCase& c) {
  return (2 * linear_terms(c) - 1) * static_cast<double>(c.tensors[0][0] * c.tensors[0][1] * c.tensors[1][1]);
}

Tensors attention_inputs(const OpCase& c, const Random& random) {
  const char* const expected = "queries BxHxLxE, keys and values BxHxSxE";
  require_ranks(c, {4, 4, 4}, expected);
  const auto& sizes = c.tensors;
  for (const std::size_t i : {0u, 1u, 3u}) require_sizes(sizes[0][i] == sizes[1][i], c, expected);
  require_sizes(sizes[1] == sizes[2], c, expected);
  return all_normal(c, random);
}

double attention_error(const Tensors& inputs, const at::Tensor& result, const OpCase& c) {
  const double scale = 1 / std::sqrt(static_cast<double>(c.tensors[0][3]));
  const at::Tensor scores = inputs[0].matmul(inputs[1].transpose(-1, -2)) * scale;
  return distance(scores.softmax(-1).matmul(inputs[2]), result);
}

double attention_terms(const OpCase& c) { return static_cast<double>(c.tensors[0][3] + c.tensors[1][2]); }

/// Two matrix products, and five operations per score.
double attention_flop(const OpCase& c) {
  const double scores =
      get_count(c, 0) / static_cast<double>(c.tensors[0][3]) * static_cast<double>(c.tensors[1][2]);
  return scores * (4 * static_cast<double>(c.tensors[0][3]) + 5);
}

}  // namespace

OpFunctions make_matmul() {
  return {matmul_inputs,
          [](const Tensors& inputs, const OpCase&) { return at::matmul(inputs[0], inputs[1]); }, matmul_error,
          matmul_flop, matmul_terms};
}

OpFunctions make_linear() {
  return {linear_inputs,
          [](const Tensors& inputs, const OpCase&) { return at::linear(inputs[0], inputs[1], inputs[2]); },
          linear_error, linear_flop, linear_terms};
}

OpFunctions make_attention() {
  return {attention_inputs,
          [](const Tensors& inputs, const OpCase&) {
            return at::scaled_dot_product_attention(inputs[0], inputs[1], inputs[2]);
          },
          attention_error, attention_flop, attention_terms};
}

}  // namespace gpubench::products_plugin
