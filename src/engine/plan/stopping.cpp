#include "engine/plan/plan.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>

#include "gpubench/core/stats/stats.h"

namespace gpubench {
namespace {

// Repeated tests stop by preference when an interval happens to be narrow. So the target must hold twice in
// a row, and fewer epochs than kFullCount must be more precise. Chosen by simulation:
// tests/unit/engine/stopping_test.cpp.
constexpr std::size_t kChecksInRow = 2;
constexpr double kFullCount = 10;

constexpr std::size_t kMostTests = 50;       // Of warm-up lengths of a long case.
constexpr std::size_t kMostStretches = 500;  // A case with more epochs is tested by medians of stretches.

std::vector<double> stretch_medians(std::span<const double> values) {
  const std::size_t count = std::min(values.size(), kMostStretches);
  std::vector<double> medians;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * values.size() / count;
    medians.push_back(compute_median(values.subspan(first, (i + 1) * values.size() / count - first)));
  }
  return medians;
}

/// Detects slow epochs before many calm ones too: by their ranks they are no trend, but warm-up.
bool has_settled(std::span<const double> values) {
  const auto far_away = outliers(values);
  return is_level(values) && (far_away.empty() || far_away.front() != 0);
}

bool meets_target(const StoppingRule& rule, std::span<const double> epoch_seconds) {
  if (epoch_seconds.size() <= static_cast<std::size_t>(rule.warmup_epochs)) return false;
  const SteadyState state = find_steady_state(epoch_seconds, rule.warmup_epochs);
  if (!state.is_steady) return false;
  const auto steady = epoch_seconds.subspan(static_cast<std::size_t>(state.first));
  if (std::accumulate(steady.begin(), steady.end(), 0.0) < kLeastSteady.value) return false;
  const auto interval = median_interval(steady);
  if (!interval.has_value()) return false;
  const double median = compute_median(steady);
  if (median <= 0) return false;  // Too short for the clock: equal, but not precise.
  const double half_width = (interval.value().high - interval.value().low) / 2;
  const double part = std::min(1.0, static_cast<double>(steady.size()) / kFullCount);
  return half_width <= *rule.target_rel_ci95 * part * median;
}

bool has_reached_target(const StoppingRule& rule, std::span<const double> epoch_seconds, Seconds timed) {
  const std::size_t count = epoch_seconds.size();
  if (!rule.target_rel_ci95 || count < kChecksInRow || timed < kLeastSteady) return false;
  // Bounds the time of checks: each of the first 128 epochs, then 64 until there are twice as many.
  const bool is_checked = count % std::max<std::size_t>(1, std::bit_floor(count) / 64) == 0;
  if (!is_checked && static_cast<std::int64_t>(count) != rule.max_epochs) return false;
  for (std::size_t back = 0; back < kChecksInRow; ++back) {
    if (!meets_target(rule, epoch_seconds.first(epoch_seconds.size() - back))) return false;
  }
  return true;
}

}  // namespace

SteadyState find_steady_state(std::span<const double> epoch_seconds, std::int64_t warmup_epochs) {
  const auto after_warmup = epoch_seconds.subspan(static_cast<std::size_t>(warmup_epochs));
  const std::vector<double> medians = stretch_medians(after_warmup);
  const std::span<const double> stretches(medians);
  const std::size_t count = stretches.size();
  const std::size_t most = count < kLeastForTrend ? 0 : std::min(count / 2, count - kLeastForTrend);
  const std::size_t stride = 1 + most / kMostTests;
  std::size_t dropped = 0;
  while (dropped < most && !has_settled(stretches.subspan(dropped))) {
    dropped = std::min(dropped + stride, most);
  }

  const auto rest = stretches.subspan(dropped);
  const double epochs_each = static_cast<double>(after_warmup.size()) / static_cast<double>(stretches.size());
  const std::size_t first = dropped * after_warmup.size() / stretches.size();
  return {warmup_epochs + static_cast<std::int64_t>(first), is_level(rest),
          compute_trend(rest).slope / epochs_each};
}

Stop decide(const StoppingRule& rule, std::span<const double> epoch_seconds, Seconds timed) {
  const auto count = static_cast<std::int64_t>(epoch_seconds.size());
  if (count >= kMostEpochs) return Stop::kMaxEpochs;
  if (count < rule.min_epochs || timed < rule.min_timed) return Stop::kNo;
  if (has_reached_target(rule, epoch_seconds, timed)) return Stop::kTargetReached;
  if (count < rule.max_epochs) return Stop::kNo;
  if (count > rule.max_epochs) return Stop::kTime;
  return rule.target_rel_ci95 ? Stop::kMaxEpochs : Stop::kEpochs;
}

std::int64_t count_warmup(const StoppingRule& rule, std::span<const double> epoch_seconds) {
  const bool has_steady = static_cast<std::int64_t>(epoch_seconds.size()) > rule.warmup_epochs;
  if (!rule.target_rel_ci95 || !has_steady) return rule.warmup_epochs;
  return find_steady_state(epoch_seconds, rule.warmup_epochs).first;
}

}  // namespace gpubench
