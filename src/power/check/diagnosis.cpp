#include "power/check/diagnosis.h"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "power/trace/integration.h"

namespace gpubench {
namespace {

/// A load that raises power by less is lost in the noise.
constexpr double kLeastRise = 0.1;

/// The same source as if it had no counter.
PowerTrace without_counter(PowerTrace trace) {
  for (PowerSample& sample : trace.samples) sample.reading.energy = absent("left out");
  return trace;
}

bool has_counter(const PowerTrace& trace) {
  for (const PowerSample& sample : trace.samples) {
    if (sample.reading.energy.has_value()) return true;
  }
  return false;
}

bool has_power(const PowerTrace& trace) {
  for (const PowerSample& sample : trace.samples) {
    if (sample.reading.power.has_value()) return true;
  }
  return false;
}

Reading<Joules> joules(const PowerTrace& trace, TimeSpan span) {
  const std::array windows{span};
  return energy_of(trace, windows).energy;
}

struct PowerPoint {
  Seconds time;
  double watts;
};

/// Power over time: of the sensor, or else from one change of the counter to the next.
std::vector<PowerPoint> power_points(const PowerTrace& trace) {
  std::vector<PowerPoint> points;
  const PowerSample* last_change = nullptr;
  const bool is_by_sensor = has_power(trace);
  for (const PowerSample& sample : trace.samples) {
    if (is_by_sensor && sample.reading.power.has_value()) {
      points.push_back({sample.time, sample.reading.power.value().value});
    }
    if (is_by_sensor || !sample.reading.energy.has_value()) continue;
    if (last_change && sample.reading.energy == last_change->reading.energy) continue;
    if (last_change) {
      const double joules = (sample.reading.energy.value() - last_change->reading.energy.value()).value;
      points.push_back({sample.time, joules / (sample.time - last_change->time).value});
    }
    last_change = &sample;
  }
  return points;
}

Reading<Seconds> lag_of(const PowerTrace& trace, const PowerDiagnosis& known, TimeSpan load) {
  if (!known.idle_before.has_value()) return absent(known.idle_before.reason());
  if (!known.load.has_value()) return absent(known.load.reason());
  const double idle = known.idle_before.value().value;
  const double loaded = known.load.value().value;
  if (loaded < idle * (1 + kLeastRise)) return absent("the load hardly raises this power");
  for (const PowerPoint& point : power_points(trace)) {
    if (point.time >= load.begin && point.watts >= (idle + loaded) / 2) return point.time - load.begin;
  }
  return absent("power did not rise");
}

/// Better ones are greater; 0 for none.
int rank_of(const PowerDiagnosis& source, const std::string& device) {
  if (!source.facts.device.empty() && source.facts.device != device) return 0;
  if (!source.lag.has_value()) return 0;
  if (source.by_counter.has_value()) return 3;
  if (!source.by_power.has_value()) return 0;
  return source.facts.averaging.value > 0 ? 1 : 2;
}

std::string reason_of(int rank, const PowerDiagnosis& source) {
  if (rank == 3) return "an energy counter misses nothing between two readings";
  if (rank == 2) return fmt::format("no counter; {} is read", source.facts.power_quantity);
  return fmt::format("no counter and nothing finer than {}", source.facts.power_quantity);
}

}  // namespace

PowerDiagnosis diagnose(const PowerTrace& trace, const TrialTimes& times) {
  PowerDiagnosis result;
  result.facts = trace.facts;
  result.period = source_period(trace);
  result.by_counter = absent("no energy counter");
  if (has_counter(trace)) result.by_counter = joules(trace, times.load);
  result.by_power = absent("no power sensor");
  if (has_power(trace)) result.by_power = joules(without_counter(trace), times.load);
  result.idle_before = mean_power(trace, times.idle_before);
  result.load = mean_power(trace, times.load);
  result.idle_after = mean_power(trace, times.idle_after);
  result.least_window = least_window(trace);
  result.lag = lag_of(trace, result, times.load);
  return result;
}

BestSource best_source(const std::vector<PowerDiagnosis>& sources, const std::string& device) {
  const PowerDiagnosis* best = nullptr;
  for (const PowerDiagnosis& source : sources) {
    if (rank_of(source, device) > (best ? rank_of(*best, device) : 0)) best = &source;
  }
  if (!best) return {"", "no source shows the load of " + device};
  return {best->facts.meter + " " + best->facts.part, reason_of(rank_of(*best, device), *best)};
}

}  // namespace gpubench
