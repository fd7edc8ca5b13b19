#include <ATen/ops/matmul.h>
#include <ATen/ops/randint.h>

#include <algorithm>
#include <cmath>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::matmul_plugin {
namespace {

const char* const kExpected = "MxK and KxN, either with a batch before it,";

Tensors inputs(const OpCase& c, const Random& random) {
  bool is_true = c.tensors.size() == 2 && !c.axis;
  for (const auto& sizes : c.tensors) is_true = is_true && (sizes.size() == 2 || sizes.size() == 3);
  require_sizes(is_true && c.tensors[0].back() == c.tensors[1].end()[-2], c, kExpected);
  const bool are_batched = c.tensors[0].size() == 3 && c.tensors[1].size() == 3;
  require_sizes(!are_batched || c.tensors[0][0] == c.tensors[1][0], c, kExpected);
  return all_normal(c, random);
}

at::Tensor call(const Tensors& inputs, const OpCase&) { return at::matmul(inputs[0], inputs[1]); }

/// As many operations as take a minute or so in fp64 on a CPU.
constexpr double kMostFlop = 3e11;

/// For products too large to do again: held against A (B v) for a random v of ones and minus ones (Freivalds
/// 1979). Rounding errors of a row add up like the root of their number.
double sampled_error(const at::Tensor& left, const at::Tensor& right, const at::Tensor& result) {
  const at::Tensor signs = at::randint(2, {right.size(1)}, right.options()).mul_(2).sub_(1);
  const at::Tensor wide = result.to(at::kDouble);
  const double difference = (wide.mv(signs) - left.mv(right.mv(signs))).abs().max().item<double>();
  const double scale = std::max(1.0, wide.abs().max().item<double>());
  return difference / std::sqrt(static_cast<double>(right.size(1))) / scale;
}

/// A product by blocks of rows, so that a large one takes little memory.
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

/// A product of two matrices for each of a batch.
double error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
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

double terms(const OpCase& c) { return static_cast<double>(c.tensors[0].back()); }
double flop(const OpCase& c) {
  const bool is_left_alone = c.tensors[0].size() == 2 && c.tensors[1].size() == 3;
  const double batch = is_left_alone ? static_cast<double>(c.tensors[1][0]) : 1;
  return 2 * batch * get_count(c, 0) * static_cast<double>(c.tensors[1].back());
}

}  // namespace

OpEntry entry_matmul() {
  return operation("matmul", "product of matrices, or of batches of them", "[B]xMxK [B]xKxN",
                   "32x1x1000 32x1000x128, 1000x64x256 256x32, 1000x64x1024 1000x1024x32, 1000x1024x64 "
                   "1000x64x256, 64x1000000 1000000x32, 1000000x64 64x1024",
                   "32x1x1000 32x1000x128, 256x256 256x256", inputs, call, error, flop, terms);
}

}  // namespace gpubench::matmul_plugin
