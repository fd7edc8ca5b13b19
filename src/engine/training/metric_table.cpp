#include "engine/training/metric_table.h"

#include <algorithm>

#include <ATen/ops/arange.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

// Many, so that the kernels hardly count, but few enough to keep little memory.
constexpr std::int64_t kScoredTogether = 32;

Results stacked(const std::vector<Results>& batches) {
  Results all;
  for (std::size_t i = 0; i < batches.front().size(); ++i) {
    all.push_back(at::stack(mapped(batches, [&](const Results& results) { return results[i]; })));
  }
  return all;
}

}  // namespace

MetricTable::MetricTable(const Model& model, c10::Device device)
    : model_(model), next_row_(at::zeros({1}, at::TensorOptions(device).dtype(at::kLong))) {}

void MetricTable::clear(std::int64_t batches) {
  unscored_.clear();
  next_row_.zero_();
  const std::int64_t room = std::max(batches, kScoredTogether);
  if (rows_.defined() && rows_.size(0) >= room) {
    rows_.zero_();
  } else {
    const auto metrics = static_cast<std::int64_t>(model_.metrics().size());
    rows_ = at::zeros({room, metrics}, next_row_.options().dtype(at::kFloat));
  }
}

void MetricTable::add(Results results, std::int64_t samples) {
  if (samples != unscored_samples_) score();
  unscored_samples_ = samples;
  unscored_.push_back(std::move(results));
  if (static_cast<std::int64_t>(unscored_.size()) == kScoredTogether) score();
}

void MetricTable::score() {
  if (unscored_.empty()) return;
  const auto batches = static_cast<std::int64_t>(unscored_.size());
  const at::Tensor sums = model_.score(stacked(unscored_), unscored_samples_);
  const at::Tensor numbers = at::arange(batches, next_row_.options()).add_(next_row_);
  // Sums are fp64 where the model is.
  rows_.index_add_(0, numbers.remainder_(rows_.size(0)), sums.to(rows_.scalar_type()));
  next_row_.add_(batches);
  unscored_.clear();
}

std::vector<double> MetricTable::sums() const {
  const at::Tensor host = rows_.to(at::kCPU);
  const auto values = host.accessor<float, 2>();
  std::vector<double> sums;
  for (std::int64_t metric = 0; metric < values.size(1); ++metric) {
    float sum = 0;
    for (std::int64_t row = 0; row < values.size(0); ++row) sum += values[row][metric];
    sums.push_back(sum);
  }
  return sums;
}

}  // namespace gpubench
