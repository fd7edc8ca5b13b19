#include "gpubench/core/stats/repetitions.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "gpubench/core/collect.h"
#include "gpubench/core/stats/estimate.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {
namespace {

double squared(double x) { return x * x; }

double sum_of_squares(std::span<const double> values) {
  const double mean = summarize(values).mean;
  double sum = 0;
  for (const double value : values) sum += squared(value - mean);
  return sum;
}

/// Of an epoch in its process, pooled; absent where no process has two.
std::optional<double> variance_by_epochs(std::span<const ProcessTimes> processes) {
  double squares = 0;
  std::size_t freedom = 0;
  for (const ProcessTimes& process : processes) {
    squares += sum_of_squares(process.epochs);
    freedom += process.epochs.size() - 1;
  }
  if (freedom == 0) return std::nullopt;
  return squares / static_cast<double>(freedom);
}

using Rows = std::vector<std::vector<double>>;

/// Of each process its blocks as parts of its epoch, less the mean part of their places. None where a process
/// has no blocks, or another number of them.
Rows unlike_parts(std::span<const ProcessTimes> processes) {
  const std::size_t count = processes.front().blocks.size();
  std::vector<double> means(count, 0.0);
  Rows rows;
  for (const ProcessTimes& process : processes) {
    if (process.blocks.size() != count) return {};
    rows.push_back(mapped(process.blocks, [&](double block) { return block / process.epochs.front(); }));
    for (std::size_t i = 0; i < count; ++i)
      means[i] += rows.back()[i] / static_cast<double>(processes.size());
  }
  for (auto& row : rows) {
    for (std::size_t i = 0; i < count; ++i) row[i] -= means[i];
  }
  return rows;
}

constexpr std::size_t kLeastBlocks = 4;
constexpr double kLargestAutocorrelation = 0.85;

/// How much more a sum of neighbours varies than one of values that are independent. What is estimated of a
/// row of n is too low by (1 + 3 r) / n (Kendall 1954, doi:10.1093/biomet/41.3-4.403).
double autocorrelation_factor(const Rows& rows, double squares) {
  double products = 0;
  for (const auto& row : rows) {
    for (std::size_t i = 1; i < row.size(); ++i) products += row[i - 1] * row[i];
  }
  const double estimate = squares > 0 ? products / squares : 0;
  const double likeness = estimate + (1 + 3 * estimate) / static_cast<double>(rows.front().size());
  const double bounded = std::clamp(likeness, 0.0, kLargestAutocorrelation);
  return (1 + bounded) / (1 - bounded);
}

/// The same of the one epoch of each, as a part of it, from its blocks; absent where these do not tell.
std::optional<double> variance_by_blocks(std::span<const ProcessTimes> processes) {
  const Rows rows = unlike_parts(processes);
  if (rows.empty() || rows.front().size() < kLeastBlocks) return std::nullopt;
  double squares = 0;
  for (const auto& row : rows) {
    for (const double part : row) squares += squared(part);
  }
  const double blocks = static_cast<double>(rows.front().size());
  const double freedom = (blocks - 1) * static_cast<double>(rows.size() - 1);
  return blocks * squares / freedom * autocorrelation_factor(rows, squares);
}

/// The value that chi-square exceeds in 80 %, by Wilson and Hilferty 1931 (doi:10.1073/pnas.17.12.684): right
/// to 1 % from two degrees of freedom on.
double low_chi_square(double freedom) {
  constexpr double kScore = -0.841621;
  const double part = 2 / (9 * freedom);
  return freedom * std::pow(1 - part + kScore * std::sqrt(part), 3);
}

/// Of the median of a process's epochs, for an epoch of variance 1; the mean over processes.
double mean_variance_of_medians(std::span<const ProcessTimes> processes) {
  double sum = 0;
  for (const ProcessTimes& process : processes) sum += variance_of_median(std::ssize(process.epochs));
  return sum / static_cast<double>(processes.size());
}

bool are_times(const ProcessTimes& process) {
  const auto is_time = [](double seconds) { return std::isfinite(seconds) && seconds > 0; };
  return !process.epochs.empty() && std::ranges::all_of(process.epochs, is_time) &&
         std::ranges::all_of(process.blocks, is_time);
}

/// Variances as parts of a squared median.
Variation split(double of_epochs, double of_medians, double median_part, double freedom) {
  const auto rest = [&](double whole) { return std::sqrt(std::max(0.0, whole - of_epochs * median_part)); };
  return {std::sqrt(of_epochs), rest(of_medians), rest(of_medians * freedom / low_chi_square(freedom))};
}

/// Squared, half the interval of the median of so many processes, of which one has variance 1.
double squared_arm(std::int64_t processes) {
  const double quantile = kNormalScore * student_factor(static_cast<double>(processes - 1));
  return squared(quantile) * variance_of_median(processes);
}

double variance_of_process(const Variation& variation, std::int64_t epochs) {
  return squared(variation.between) + squared(variation.within) * variance_of_median(epochs);
}

/// The least of `first` to `most` that `holds`, which all above it do too; `most` where none does.
template <class Holds>
std::int64_t least_that(std::int64_t first, std::int64_t most, Holds holds) {
  while (first < most) {
    const std::int64_t middle = first + (most - first) / 2;
    if (holds(middle)) {
      most = middle;
    } else {
      first = middle + 1;
    }
  }
  return most;
}

constexpr std::int64_t kMostEpochsPlanned = 1000;
constexpr std::int64_t kUsualProcesses = 5;  // Of fewer Student's factor is dearer than their start.

std::int64_t epochs_planned(const Variation& variation, const LevelCosts& costs, double margin) {
  const double between = variation.between > 0 ? variation.between : variation.most_between;
  const double best = variation.within / between * std::sqrt(costs.process / costs.epoch);
  const auto suffices = [&](std::int64_t epochs) {
    return processes_needed(variation, epochs, margin) <= kUsualProcesses;
  };
  const std::int64_t enough = least_that(1, kMostEpochsPlanned, suffices);
  // No number where nothing varies.
  return best < static_cast<double>(enough) ? std::max<std::int64_t>(1, std::llround(std::ceil(best)))
                                            : enough;
}

}  // namespace

Reading<Variation> variation_of(std::span<const ProcessTimes> processes) {
  if (std::ssize(processes) < kLeastProcesses) {
    return absent("how processes differ takes {} of them to tell", kLeastProcesses);
  }
  if (!std::ranges::all_of(processes, are_times)) return absent("a time is not above 0");
  const std::vector<double> medians =
      mapped(processes, [](const ProcessTimes& process) { return median_of(process.epochs); });
  const double median = median_of(medians);
  auto within = variance_by_epochs(processes);
  if (within) *within /= squared(median);
  if (!within) within = variance_by_blocks(processes);
  if (!within) return absent("each process has one timed epoch, without times of its blocks");
  const double of_medians = squared(summarize(medians).stddev.value() / median);
  return split(*within, of_medians, mean_variance_of_medians(processes),
               static_cast<double>(processes.size() - 1));
}

std::int64_t processes_needed(const Variation& variation, std::int64_t epochs, double margin) {
  const double variance = variance_of_process(variation, epochs);
  return least_that(kLeastProcesses, kMostProcesses, [&](std::int64_t processes) {
    return squared_arm(processes) * variance <= squared(margin);
  });
}

RepetitionPlan plan_repetitions(const Variation& variation, const LevelCosts& costs, double margin) {
  const std::int64_t epochs = epochs_planned(variation, costs, margin);
  const Variation worst{variation.within, variation.most_between, variation.most_between};
  return {epochs, processes_needed(variation, epochs, margin), processes_needed(worst, epochs, margin)};
}

}  // namespace gpubench
