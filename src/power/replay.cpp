#include <algorithm>
#include <cmath>

#include "gpubench/core/error.h"
#include "gpubench/power_meter.h"
#include "power/log/power_log.h"

namespace gpubench::replay_plugin {
namespace {

/// Returns the time of the log, extended by a mean step. The replay repeats after it.
TimeSpan find_round(const std::vector<PowerTrace>& traces) {
  TimeSpan round{traces.front().samples.front().time, traces.front().samples.front().time};
  for (const PowerTrace& trace : traces) {
    const Seconds first = trace.samples.front().time;
    const Seconds last = trace.samples.back().time;
    const auto steps = static_cast<double>(trace.samples.size() - 1);
    round.begin = std::min(round.begin, first);
    round.end = std::max(round.end, last + Seconds{steps > 0 ? (last - first).value / steps : 1});
  }
  return round;
}

/// Returns the reading `elapsed` seconds after opening. A counter restarts with the log.
PowerReading reading_at(const PowerTrace& trace, const TimeSpan& round, Seconds elapsed) {
  const Seconds time{round.begin.value + std::fmod(elapsed.value, compute_length(round).value)};
  const auto next = std::ranges::upper_bound(trace.samples, time, {}, &PowerSample::time);
  if (next != trace.samples.begin()) return std::prev(next)->reading;
  const Missing early = missing("the log has no reading yet");
  return {.energy = early, .power = early};
}

PowerSources open(const MeterRequest& request, std::string&) {
  require(!request.argument.empty(), "--meter replay: no log named; write --meter replay:power.csv");
  PowerLog log = read_power_log(request.argument, {});
  const TimeSpan round = find_round(log.traces);
  PowerSources sources;
  for (PowerTrace& trace : log.traces) {
    PowerSourceFacts facts = trace.facts;
    facts.meter = "replay";
    sources.push_back({std::move(facts), [trace = std::move(trace), round, &clock = request.clock,
                                          opened = request.clock.now()] {
                         return reading_at(trace, round, clock.now() - opened);
                       }});
  }
  return sources;
}

}  // namespace

MeterEntry entry_replay() {
  return {"replay", "A recorded log, replayed as if live: replay:FILE", false, open};
}

}  // namespace gpubench::replay_plugin
