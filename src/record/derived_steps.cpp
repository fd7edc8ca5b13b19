// Figures from the time stamps inside epochs.

#include <algorithm>
#include <cmath>

#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

constexpr std::size_t kLeastEpochs = 2;  // In blocks.

/// The blocks of the steady epochs. None where they make up no whole epochs, as in a file that was changed.
std::span<const double> steady_blocks(const CaseRecord& record) {
  const std::span<const double> all(record.block_seconds);
  const std::size_t each = record.block_steps.size();
  if (each == 0 || all.size() % each != 0) return {};
  return all.last(each * std::min(all.size() / each, steady_epochs(record).size()));
}

/// What shows whether times change: values in order, and how many of them make up an epoch.
struct Course {
  std::vector<double> values;
  std::size_t period = 1;
};

Measured<Course> make_course(const CaseRecord& record) {
  const std::size_t each = record.block_steps.size();
  const Measured<std::vector<double>> steps = steady_step_seconds(record);
  if (steps.has_value() && steps.value().size() >= std::max(kLeastEpochs * each, kLeastForTrend))
    return Course{steps.value(), each};
  const std::span<const double> epochs = steady_epochs(record);
  if (epochs.size() >= kLeastForTrend) return Course{{epochs.begin(), epochs.end()}, 1};
  if (record.status != RowStatus::kOk) return missing("the case ended as {}", to_string(record.status));
  return missing("fewer than {} epochs after the warm-up", steps.has_value() ? kLeastEpochs : kLeastForTrend);
}

}  // namespace

Measured<std::vector<double>> steady_step_seconds(const CaseRecord& record) {
  if (!record.blocks_per_epoch.has_value()) return missing(record.blocks_per_epoch.reason());
  std::vector<double> seconds;
  for (const double block : steady_blocks(record)) {
    const std::int64_t steps = record.block_steps[seconds.size() % record.block_steps.size()];
    seconds.push_back(block / static_cast<double>(steps));
  }
  const auto is_time = [](double value) { return std::isfinite(value) && value < 1e100; };
  if (!std::ranges::all_of(seconds, is_time)) return missing("a time of a block is no time");
  if (seconds.empty()) return missing("no epoch after the warm-up has times of its blocks");
  return seconds;
}

Measured<double> step_quantile(const CaseRecord& record, double part) {
  return steady_step_seconds(record).then(
      [=](const std::vector<double>& seconds) { return compute_quantile(seconds, part); });
}

Measured<bool> is_steady(const CaseRecord& record) {
  return make_course(record).then(
      [](const Course& course) { return is_level(course.values, course.period); });
}

Measured<double> epoch_slope(const CaseRecord& record) {
  return make_course(record).then([](const Course& course) {
    return compute_trend(course.values, course.period).slope * static_cast<double>(course.period);
  });
}

}  // namespace gpubench
