#include <algorithm>
#include <cmath>

#include "gpubench/core/error.h"
#include "gpubench/power_meter.h"
#include "power/log/power_log.h"

namespace gpubench {
namespace {

/// When a log is over and starts anew, by its own clock.
struct Round {
  Seconds begin;
  Seconds length;  ///< To the last stamp, and as long as that one's reading was shown for.
};

/// Median time between two samples: the last one was shown for about as long.
double typical_step(const PowerTrace& trace) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < trace.samples.size(); ++i) {
    steps.push_back(trace.samples[i].time.value - trace.samples[i - 1].time.value);
  }
  if (steps.empty()) return 1;
  std::ranges::sort(steps);
  return steps[steps.size() / 2];
}

Round make_round(const std::vector<PowerTrace>& traces) {
  double begin = traces.front().samples.front().time.value;
  double end = begin;
  for (const PowerTrace& trace : traces) {
    begin = std::min(begin, trace.samples.front().time.value);
    end = std::max(end, trace.samples.back().time.value + typical_step(trace));
  }
  return {Seconds{begin}, Seconds{end - begin}};
}

/// What the counter of a trace rises by in a round: on from its last sample as before.
double compute_joules(const PowerTrace& trace, Seconds round) {
  const auto has_counter = [](const PowerSample& sample) { return sample.reading.energy.has_value(); };
  const auto first = std::ranges::find_if(trace.samples, has_counter);
  const auto last = std::find_if(trace.samples.rbegin(), trace.samples.rend(), has_counter);
  if (first == trace.samples.end() || first->time == last->time) return 0;
  const double joules = last->reading.energy.value().value - first->reading.energy.value().value;
  return std::max(0.0, joules) * round.value / (last->time - first->time).value;
}

/// What a part of the log shows `elapsed` seconds after it was opened; its counter goes on by `round_joules`
/// a round.
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

/// A part of the log, as if it were read now.
PowerSource make_source(PowerTrace trace, const Round& round, const Clock& clock) {
  PowerSourceFacts facts = trace.facts;
  facts.meter = "replay";
  facts.is_replayed = true;
  const double round_joules = compute_joules(trace, round.length);
  return {std::move(facts), [trace = std::move(trace), round, round_joules, &clock, opened = clock.now()] {
            return reading_at(trace, round, round_joules, (clock.now() - opened).value);
          }};
}

PowerSources open(const MeterRequest& request, std::string&) {
  if (request.argument.empty()) {
    throw Error(ErrorKind::kUsage, "--meter replay: names no log; write --meter replay:power.csv");
  }
  PowerLog log = read_power_log(request.argument, {});
  const Round round = make_round(log.traces);
  PowerSources sources;
  for (PowerTrace& trace : log.traces) {
    sources.push_back(make_source(std::move(trace), round, request.clock));
  }
  return sources;
}

}  // namespace

MeterEntry entry_replay() { return {"replay", "a recorded log as if live: replay:FILE", false, open}; }

}  // namespace gpubench
