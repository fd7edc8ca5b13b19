#include "power/trace/diagnosis.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "power/trace/integration.h"
#include "power/trace/sampler.h"

namespace gpubench {
namespace {

using power::Point;
using power::Series;

/// A load that raises power by less is lost in the noise.
constexpr double kLeastRise = 0.1;

/// Returns power by the sensor, else from one change of the counter to the next.
Series power_points(const PowerTrace& trace) {
  Series points = power::make_series(trace, &PowerReading::power);
  const Series counter = power::make_series(trace, &PowerReading::energy);
  if (!points.empty() || counter.empty()) return points;
  Point last = counter.front();
  for (const Point& point : counter) {
    if (point.value == last.value) continue;
    points.push_back({point.time, (point.value - last.value) / (point.time - last.time)});
    last = point;
  }
  return points;
}

Measured<Seconds> compute_lag(const PowerTrace& trace, const PowerDiagnosis& known, TimeSpan load) {
  if (!known.idle_before.has_value()) return missing(known.idle_before.reason());
  if (!known.load.has_value()) return missing(known.load.reason());
  const double idle = known.idle_before.value().value;
  const double loaded = known.load.value().value;
  if (loaded < idle * (1 + kLeastRise)) return missing("the load hardly raises this power");
  for (const Point& point : power_points(trace)) {
    if (point.time >= load.begin.value && point.value >= (idle + loaded) / 2)
      return Seconds{point.time} - load.begin;
  }
  return missing("power did not rise");
}

/// Ranks a source for work on `device`: better ones are greater, 0 is unusable.
int find_rank(const PowerDiagnosis& source, const std::string& device) {
  const bool is_of_other = !source.facts.device.empty() && source.facts.device != device;
  if (is_of_other || !source.lag.has_value()) return 0;
  if (source.by_counter.has_value()) return 3;
  if (!source.by_power.has_value()) return 0;
  return source.facts.averaging.value > 0 ? 1 : 2;
}

}  // namespace

PowerDiagnosis diagnose(const PowerTrace& trace, const TrialTimes& times) {
  const power::Evaluation source(trace);
  const std::span<const TimeSpan> load(&times.load, 1);
  PowerDiagnosis result;
  result.facts = trace.facts;
  result.period = source.source_period();
  result.by_counter = missing("no energy counter");
  if (source.has_counter()) result.by_counter = source.compute_energy(load).energy;
  result.by_power = missing("no power sensor");
  const power::Evaluation sensor(trace, /*uses_counter=*/false);
  if (!sensor.is_empty()) result.by_power = sensor.compute_energy(load).energy;
  result.idle_before = source.mean_power(times.idle_before);
  result.load = source.mean_power(times.load);
  result.idle_after = source.mean_power(times.idle_after);
  result.least_window = source.least_window();
  result.lag = compute_lag(trace, result, times.load);
  return result;
}

PowerTrial try_power(OpenMeters meters, double cores, const Clock& clock,
                     const std::function<TimeSpan()>& load) {
  PowerTrial trial{{}, std::move(meters.why_none)};
  if (meters.sources.empty()) return trial;
  const auto rest = [&] {
    const Seconds begin = clock.now();
    std::this_thread::sleep_for(std::chrono::seconds(3));
    return TimeSpan{begin, clock.now()};
  };
  const auto pause = make_pause();
  const auto sampler = start_sampler(std::move(meters.sources), cores, clock, *pause, {});
  TrialTimes times;
  times.idle_before = rest();
  times.load = load();
  times.idle_after = rest();
  trial.sources = mapped(sampler->traces_since(times.idle_before.begin),
                         [&](const PowerTrace& trace) { return diagnose(trace, times); });
  trial.sampler_load = sampler->load();
  return trial;
}

BestSource best_source(const std::vector<PowerDiagnosis>& sources, const std::string& device) {
  const auto rank = [&](const PowerDiagnosis& source) { return find_rank(source, device); };
  const auto best = std::ranges::max_element(sources, {}, rank);
  if (best == sources.end() || rank(*best) == 0) return {"", "no source shows the load of " + device};
  const std::string& quantity = best->facts.power_quantity;
  const std::string no_counter = best->by_counter.has_value() ? "" : best->by_counter.reason();
  return {best->facts.meter + " " + best->facts.part,
          rank(*best) == 3   ? "an energy counter misses nothing between two readings"
          : rank(*best) == 2 ? fmt::format("{}; {} is read", no_counter, quantity)
                             : fmt::format("{}, and nothing finer than {}", no_counter, quantity)};
}

}  // namespace gpubench
