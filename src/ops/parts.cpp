#include "ops/parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

/// Few enough for caches to hold them.
constexpr std::int64_t kMostAtOnce = 1 << 20;

at::Tensor without_values(const Sizes& sizes, at::ScalarType type) {
  return at::empty(sizes, at::TensorOptions(at::kMeta).dtype(type));
}

std::vector<OpCase> parse_rows(const std::string& list) {
  std::vector<OpCase> rows;
  std::istringstream texts(list);
  for (std::string text; std::getline(texts, text, ',');) rows.push_back(parse_op_case(text, "row"));
  return rows;
}

/// Returns the inputs of by_index().
Tensors rows_to_scatter(const OpCase& c, const Random& random) {
  require_ranks(c, {2, 1}, "rows RxC and the number of rows to put into them");
  const Sizes& matrix = c.tensors[0];
  const std::int64_t count = c.tensors[1][0];
  return {normal(matrix, random), indices(count, matrix[0], random), normal({count, matrix[1]}, random)};
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

OpEntry operation(const char* name, const char* summary, const char* sizes, const std::string& published_rows,
                  const std::string& small_rows, decltype(OpEntry::inputs) inputs,
                  decltype(OpEntry::call) call, decltype(OpEntry::error) error, decltype(OpEntry::flop) flop,
                  decltype(OpEntry::terms) terms, Sums sums) {
  const OpInfo info{name, summary, sizes, parse_rows(published_rows), parse_rows(small_rows)};
  return {info, inputs, call, error, flop, terms, sums};
}

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

OpEntry by_index(const char* name, const char* summary, const std::string& first,
                 decltype(OpEntry::call) call, decltype(OpEntry::error) error) {
  const auto published =
      fmt::format("{0} 10, {0} 1000, {0} 1000000, 1024x32 10, 1024x32 1000, 1024x32 1000000", first);
  return operation(name, summary, "RxC N", published, first + " 1000, 1024x32 10000", rows_to_scatter, call,
                   error);
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

double count_values_put(const OpCase& c) { return static_cast<double>(c.tensors[1][0] * c.tensors[0][1]); }

}  // namespace gpubench
