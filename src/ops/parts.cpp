#include "ops/parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

#include "gpubench/core/error.h"

namespace gpubench {
namespace {

/// Few enough for caches to hold them.
constexpr std::int64_t kMostAtOnce = 1 << 20;

at::Tensor without_values(const Sizes& sizes, at::ScalarType type) {
  return at::empty(sizes, at::TensorOptions(at::kMeta).dtype(type));
}

/// For by_index().
Tensors rows_to_scatter(const OpCase& c, const Random& random) {
  const auto& sizes = require_ranks(c, {2, 1}, "rows RxC and the number of rows to put into them");
  const std::int64_t count = sizes[1][0];
  return {normal(sizes[0], random), indices(count, sizes[0][0], random),
          normal({count, sizes[0][1]}, random)};
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

const std::vector<Sizes>& require_ranks(const OpCase& c, const std::vector<std::size_t>& ranks,
                                        const std::string& expected) {
  bool is_true = c.tensors.size() == ranks.size();
  for (std::size_t i = 0; is_true && i < ranks.size(); ++i) is_true = c.tensors[i].size() == ranks[i];
  require_sizes(is_true, c, expected);
  return c.tensors;
}

void require_sizes(bool is_true, const OpCase& c, const std::string& expected) {
  if (is_true) return;
  throw Error(ErrorKind::kUsage, "--shape \"" + to_string(c) + "\": " + expected + " is expected");
}

std::int64_t require_axis(const OpCase& c) {
  const auto rank = static_cast<std::int64_t>(c.tensors.front().size());
  require_sizes(c.axis && *c.axis >= -rank && *c.axis < rank, c, "an axis of the tensor, as in axis=0,");
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

double one_flop_each(const OpCase& c) { return get_count(c, 0); }

double length_of_axis(const OpCase& c) {
  return static_cast<double>(c.tensors[0][static_cast<std::size_t>(require_axis(c))]);
}

Tensors one_normal(const OpCase& c, const Random& random) {
  require_sizes(c.tensors.size() == 1 && !c.axis, c, "one tensor");
  return {normal(c.tensors.front(), random)};
}

Tensors one_normal_with_axis(const OpCase& c, const Random& random) {
  require_sizes(c.tensors.size() == 1, c, "one tensor and an axis");
  require_axis(c);
  return {normal(c.tensors.front(), random)};
}

OpEntry activation(const char* name, const char* summary, double flop_each,
                   at::Tensor (*function)(const at::Tensor&), at::Tensor (*right)(const at::Tensor&)) {
  const auto call = [function](const Tensors& inputs, const OpCase&) { return function(inputs[0]); };
  const auto error = [right](const Tensors& inputs, const at::Tensor& result, const OpCase&) {
    return distance(right(inputs[0]), result);
  };
  const auto flop = [flop_each](const OpCase& c) { return flop_each * get_count(c, 0); };
  const std::vector<OpCase> published = {{{{128, 16, 1024}}}, {{{64, 128, 1024}}}};
  return {name, summary, "any tensor", published, {{{{16, 16, 1024}}}}, one_normal, call, error, flop};
}

OpEntry by_index(const char* name, const char* summary, const Sizes& first, decltype(OpEntry::call) call,
                 decltype(OpEntry::error) error) {
  std::vector<OpCase> published;
  for (const Sizes& sizes : {first, {1024, 32}}) {
    for (const std::int64_t count : {10, 1000, 1000000}) published.push_back({{sizes, {count}}});
  }
  const std::vector<OpCase> small = {{{first, {1000}}}, {{{1024, 32}, {10000}}}};
  return {name, summary, "RxC N", published, small, rows_to_scatter, call, error};
}

at::Tensor merged_by_index(const Tensors& inputs, at::Tensor (*merge)(const at::Tensor& rows)) {
  const std::int64_t places = inputs[0].size(0);
  const at::Tensor counts = inputs[1].bincount({}, places);
  const at::Tensor sorted = inputs[2].index_select(0, inputs[1].argsort());
  at::Tensor merged = inputs[0].clone();
  std::int64_t first = 0;
  for (std::int64_t place = 0; place < places; ++place) {
    const std::int64_t count = counts.const_data_ptr<std::int64_t>()[place];
    merged[place].copy_(merge(at::cat({inputs[0].narrow(0, place, 1), sorted.narrow(0, first, count)})));
    first += count;
  }
  return merged;
}

double one_flop_each_put(const OpCase& c) { return static_cast<double>(c.tensors[1][0] * c.tensors[0][1]); }

}  // namespace gpubench
