#include "ops/parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

/// Number of values that fit into caches.
constexpr std::int64_t kMostAtOnce = 1 << 20;

at::Tensor without_values(const Sizes& sizes, at::ScalarType type) {
  return at::empty(sizes, at::TensorOptions(at::kMeta).dtype(type));
}

}  // namespace

at::Tensor normal(const Sizes& sizes, const Random& random) {
  return random ? at::randn(sizes, random, at::TensorOptions(at::kDouble))
                : without_values(sizes, at::kDouble);
}

at::Tensor probabilities(const Sizes& sizes, const Random& random) {
  if (!random) return without_values(sizes, at::kDouble);
  return at::rand(sizes, random, at::TensorOptions(at::kDouble)).mul_(0.98).add_(0.01);
}

at::Tensor indices(std::int64_t count, std::int64_t below, const Random& random) {
  if (!random) return without_values({count}, at::kLong);
  return at::randint(below, {count}, random, at::TensorOptions(at::kLong));
}

void require_ranks(const OpCase& c, const std::vector<std::size_t>& ranks, const std::string& expected) {
  require_sizes(std::ranges::equal(c.tensors, ranks, {}, &Sizes::size), c, expected);
}

void require_sizes(bool is_true, const OpCase& c, const std::string& expected) {
  if (is_true) return;
  throw Error(ErrorKind::kUsage, "--shape \"" + to_string(c) + "\": expected " + expected);
}

std::int64_t require_axis(const OpCase& c) {
  const auto rank = static_cast<std::int64_t>(c.tensors.front().size());
  require_sizes(c.axis && *c.axis >= -rank && *c.axis < rank, c, "an axis of the tensor, as in axis=0");
  return *c.axis < 0 ? *c.axis + rank : *c.axis;
}

double distance(const at::Tensor& expected, const at::Tensor& result, double least_scale) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (expected.sizes() != result.sizes()) return kInfinite;
  const at::Tensor expected_values = expected.reshape(-1);
  const at::Tensor values = result.reshape(-1);
  double difference = 0;
  double scale = least_scale;
  for (std::int64_t begin = 0; begin < values.numel(); begin += kMostAtOnce) {
    const std::int64_t count = std::min(kMostAtOnce, values.numel() - begin);
    const at::Tensor right = expected_values.narrow(0, begin, count).to(at::kDouble);
    const at::Tensor found = values.narrow(0, begin, count).to(at::kDouble);
    const double worst = (right - found).abs_().max().item<double>();
    if (!std::isfinite(worst)) return kInfinite;
    difference = std::max(difference, worst);
    scale = std::max(scale, right.abs().max().item<double>());
  }
  return difference / scale;
}

double count_values(const OpCase& c) { return get_count(c, 0); }

double length_of_axis(const OpCase& c) {
  return static_cast<double>(c.tensors[0][static_cast<std::size_t>(require_axis(c))]);
}

Tensors all_normal(const OpCase& c, const Random& random) {
  return mapped(c.tensors, [&](const Sizes& sizes) { return normal(sizes, random); });
}

Tensors one_normal(const OpCase& c, const Random& random) {
  require_sizes(c.tensors.size() == 1 && !c.axis, c, "one tensor");
  return all_normal(c, random);
}

Tensors one_normal_with_axis(const OpCase& c, const Random& random) {
  require_sizes(c.tensors.size() == 1, c, "one tensor and an axis");
  require_axis(c);
  return all_normal(c, random);
}

}  // namespace gpubench
