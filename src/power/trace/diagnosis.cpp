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

/// A smaller relative rise of power is noise.
constexpr double kLeastRise = 0.1;
constexpr double kMostSteps = 1000;

Measured<Seconds> compute_lag(const power::Evaluation& source, const PowerDiagnosis& known, TimeSpan load) {
  if (!known.idle_before.has_value()) return missing(known.idle_before.reason());
  if (!known.load.has_value()) return missing(known.load.reason());
  const double idle = known.idle_before.value().value;
  const double loaded = known.load.value().value;
  if (loaded < idle * (1 + kLeastRise))
    return missing("the load raises this power by less than {:.0f} %", 100 * kLeastRise);
  const std::vector<Measured<Watts>> means = source.mean_powers(load, kMostSteps);
  const auto is_raised = [&](const Measured<Watts>& mean) {
    return mean.has_value() && mean.value().value >= (idle + loaded) / 2;
  };
  const auto steps = std::ranges::find_if(means, is_raised) - means.begin();
  return Seconds{compute_length(load).value * static_cast<double>(steps) / static_cast<double>(means.size())};
}

}  // namespace

PowerDiagnosis diagnose(const PowerTrace& trace, const TrialTimes& times) {
  const power::Evaluation source(trace);
  const std::span<const TimeSpan> load(&times.load, 1);
  PowerDiagnosis result;
  result.facts = trace.facts;
  result.period = source.source_period();
  result.by_counter =
      source.has_counter() ? source.compute_energy(load).energy : missing("no energy counter");
  const power::Evaluation sensor(trace, /*uses_counter=*/false);
  result.by_power = sensor.is_empty() ? missing("no power sensor") : sensor.compute_energy(load).energy;
  result.idle_before = source.mean_power(times.idle_before);
  result.load = source.mean_power(times.load);
  result.idle_after = source.mean_power(times.idle_after);
  result.least_window = source.least_window();
  result.lag = compute_lag(sensor.is_empty() ? source : sensor, result, times.load);
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
  const TrialTimes times{rest(), load(), rest()};  // In this order.
  trial.sources = mapped(sampler->traces_since(times.idle_before.begin),
                         [&](const PowerTrace& trace) { return diagnose(trace, times); });
  trial.sampler_load = sampler->load();
  return trial;
}

BestSource best_source(const std::vector<PowerDiagnosis>& sources, const std::string& device) {
  // Returns 0 for an unusable source.
  const auto rank = [&](const PowerDiagnosis& source) {
    const bool is_of_other = !source.facts.device.empty() && source.facts.device != device;
    if (is_of_other || !source.lag.has_value()) return 0;
    if (source.by_counter.has_value()) return 3;
    if (!source.by_power.has_value()) return 0;
    return source.facts.averaging.value > 0 ? 1 : 2;
  };
  const auto best = std::ranges::max_element(sources, {}, rank);
  if (best == sources.end() || rank(*best) == 0)
    return {"", "no source responds to a load of " + device + "; choose another meter with --meter"};
  return {best->facts.meter + " " + best->facts.part,
          best->by_counter.has_value()
              ? "an energy counter includes everything between two readings"
              : fmt::format("{}; uses {}", best->by_counter.reason(), best->facts.power_quantity)};
}

}  // namespace gpubench
