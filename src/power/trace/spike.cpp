// The published method of S1; see docs/energy.md for what it is biased by.

#include <algorithm>
#include <cmath>

#include "gpubench/core/stats/stats.h"
#include "gpubench/core/stats/student.h"
#include "power/trace/evaluation.h"
#include "power/trace/integration.h"
#include "power/trace/refusal.h"

namespace gpubench {
namespace {

using power::Series;

constexpr double kQuantile = 0.30;

Series within(const Series& all, const TimeSpan& zone) {
  const auto begin = static_cast<std::ptrdiff_t>(power::first_from(all, zone.begin.value));
  const auto end = static_cast<std::ptrdiff_t>(power::first_after(all, zone.end.value));
  return Series(all.begin() + begin, all.begin() + std::max(begin, end));
}

std::vector<double> values_from_quantile(const Series& zone) {
  std::vector<double> values;
  for (const power::Point& point : zone) values.push_back(point.value);
  const double least = power::quantile(values, kQuantile);
  std::erase_if(values, [&](double value) { return value < least; });
  return values;
}

/// Half the 95 % interval of the mean of samples, of which repeated readings of one figure are one.
double half_of(const Summary& summary, const power::Cadence& cadence) {
  if (!summary.stddev.has_value()) return 0;
  const double repeats = cadence.update > 0 ? std::max(1.0, cadence.update / cadence.poll) : 1;
  const double independent = std::max(2.0, static_cast<double>(summary.count) / repeats);
  return kNormalScore * student_factor(std::max(2.0, independent - 1)) * summary.stddev.value() /
         std::sqrt(independent);
}

}  // namespace

EnergyEstimate spike_energy_of(const PowerTrace& trace, std::span<const TimeSpan> windows) {
  EnergyEstimate result;
  PowerTrace watts = trace;  // Without its counter.
  for (PowerSample& sample : watts.samples) sample.reading.energy = PowerReading{}.energy;
  result = energy_of(watts, windows);
  result.method = EnergyMethod::kSpikeQ30;
  if (!result.coverage.has_value() || result.coverage.value() < kLeastCoverage) return result;
  const Series all = power::power_of(watts);
  const power::Cadence cadence = power::cadence_of(all);
  const double resolution = power::resolution_of(all);
  if (power::stuck_repeats(all, cadence, resolution, windows, trace.facts.is_replayed) > 0) return result;
  const std::vector<double> values =
      values_from_quantile(within(all, {windows.front().begin, windows.back().end}));
  if (values.empty()) return result;
  const Summary summary = summarize(values);
  const double seconds = power::total(windows);
  const double half = half_of(summary, cadence);
  result.energy = Joules{summary.mean * seconds};
  result.low = {std::max(0.0, summary.mean - half) * seconds};
  result.high = {(summary.mean + half) * seconds};
  return result;
}

}  // namespace gpubench
