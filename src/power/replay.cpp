#include <algorithm>
#include <cmath>

#include "gpubench/core/error.h"
#include "gpubench/power_meter.h"
#include "power/log/power_log.h"

namespace gpubench::replay_plugin {
namespace {

/// The time of a log, by its own clock, after which it starts over.
struct Round {
  Seconds begin;
  Seconds length;  ///< To the last stamp, and the time that its reading was shown for.
};

Round make_round(const std::vector<PowerTrace>& traces) {
  Seconds begin = traces.front().samples.front().time;
  Seconds end = begin;
  for (const PowerTrace& trace : traces) {
    const Seconds first = trace.samples.front().time;
    const Seconds last = trace.samples.back().time;
    const auto steps = static_cast<double>(trace.samples.size() - 1);
    begin = std::min(begin, first);
    end = std::max(end, last + Seconds{steps > 0 ? (last - first).value / steps : 1});
  }
  return {begin, end - begin};
}

/// Returns the counter's rise in a round, extrapolated after its last sample.
double compute_joules(const PowerTrace& trace, Seconds round) {
  const auto has_counter = [](const PowerSample& sample) { return sample.reading.energy.has_value(); };
  const auto first = std::ranges::find_if(trace.samples, has_counter);
  const auto last = std::find_if(trace.samples.rbegin(), trace.samples.rend(), has_counter);
  if (first == trace.samples.end() || first->time == last->time) return 0;
  const double joules = last->reading.energy.value().value - first->reading.energy.value().value;
  return std::max(0.0, joules) * round.value / (last->time - first->time).value;
}

/// Returns the reading `elapsed` seconds after opening; the counter rises by `round_joules` a round.
PowerReading reading_at(const PowerTrace& trace, const Round& round, double round_joules, double elapsed) {
  const double rounds = std::floor(elapsed / round.length.value);
  const double time = round.begin.value + (elapsed - rounds * round.length.value);
  const auto next = std::ranges::upper_bound(trace.samples, Seconds{time}, {}, &PowerSample::time);
  if (next == trace.samples.begin()) {
    const Missing early = missing("the log has it only later");
    return {.energy = early, .power = early};
  }
  PowerReading reading = std::prev(next)->reading;
  if (reading.energy.has_value()) {
    reading.energy = reading.energy.value() + Joules{rounds * round_joules};
  }
  return reading;
}

PowerSources open(const MeterRequest& request, std::string&) {
  if (request.argument.empty()) {
    throw Error(ErrorKind::kUsage, "--meter replay: names no log; write --meter replay:power.csv");
  }
  PowerLog log = read_power_log(request.argument, {});
  const Round round = make_round(log.traces);
  PowerSources sources;
  for (PowerTrace& trace : log.traces) {
    PowerSourceFacts facts = trace.facts;
    facts.meter = "replay";
    const double round_joules = compute_joules(trace, round.length);
    sources.push_back({std::move(facts), [trace = std::move(trace), round, round_joules,
                                          &clock = request.clock, opened = request.clock.now()] {
                         return reading_at(trace, round, round_joules, (clock.now() - opened).value);
                       }});
  }
  return sources;
}

}  // namespace

MeterEntry entry_replay() { return {"replay", "a recorded log as if live: replay:FILE", false, open}; }

}  // namespace gpubench::replay_plugin
