#include "core/stats/resampling.h"

#include <algorithm>

namespace gpubench {
namespace {

constexpr std::ptrdiff_t kTail = kResamples / 40;  // 2.5 % at either end.

double median_of_counts(const std::vector<double>& sorted, const Counts& counts) {
  const std::size_t middle = (sorted.size() - 1) / 2;
  std::size_t place = 0;
  std::size_t passed = counts[0];
  while (passed <= middle) passed += counts[++place];
  const double lower = sorted[place];
  if (sorted.size() % 2 == 1 || passed > middle + 1) return lower;
  do ++place;
  while (counts[place] == 0);
  return (lower + sorted[place]) / 2;
}

}  // namespace

Ranked ranked(std::span<const double> values) {
  Ranked sample{{values.begin(), values.end()}, {}};
  std::sort(sample.sorted.begin(), sample.sorted.end());
  for (const double value : values) {
    const auto place = std::lower_bound(sample.sorted.begin(), sample.sorted.end(), value);
    sample.places.push_back(static_cast<std::size_t>(place - sample.sorted.begin()));
  }
  return sample;
}

double resampled_median(const Ranked& sample, std::size_t block, Draws& draws, Counts& counts) {
  const std::size_t size = sample.sorted.size();
  std::fill(counts.begin(), counts.end(), 0);
  for (std::size_t left = size; left > 0;) {
    const std::size_t start = draws.below(size - block + 1);
    const std::size_t taken = std::min(block, left);
    for (std::size_t i = start; i < start + taken; ++i) ++counts[sample.places[i]];
    left -= taken;
  }
  return median_of_counts(sample.sorted, counts);
}

Interval middle_of(std::vector<double> figures) {
  const auto low = figures.begin() + kTail;
  const auto high = figures.end() - 1 - kTail;
  std::nth_element(figures.begin(), low, figures.end());
  std::nth_element(low + 1, high, figures.end());
  return {*low, *high};
}

}  // namespace gpubench
