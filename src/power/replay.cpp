#include <algorithm>
#include <cmath>

#include "gpubench/core/error.h"
#include "power/entries.h"
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
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

Round round_of(const std::vector<PowerTrace>& traces) {
  double begin = traces.front().samples.front().time.value;
  double end = begin;
  for (const PowerTrace& trace : traces) {
    begin = std::min(begin, trace.samples.front().time.value);
    end = std::max(end, trace.samples.back().time.value + typical_step(trace));
  }
  return {Seconds{begin}, Seconds{end - begin}};
}

/// What the counter of a trace rises by in a round: on from its last sample as before.
double joules_of(const PowerTrace& trace, Seconds round) {
  const auto has_counter = [](const PowerSample& sample) { return sample.reading.energy.has_value(); };
  const auto first = std::find_if(trace.samples.begin(), trace.samples.end(), has_counter);
  const auto last = std::find_if(trace.samples.rbegin(), trace.samples.rend(), has_counter);
  if (first == trace.samples.end() || first->time == last->time) return 0;
  const double joules = last->reading.energy.value().value - first->reading.energy.value().value;
  return std::max(0.0, joules) * round.value / (last->time - first->time).value;
}

/// A part of the log, as if it were read now.
class ReplaySource : public PowerSource {
 public:
  ReplaySource(PowerTrace trace, const Round& round, const Clock& clock)
      : trace_(std::move(trace)),
        round_(round),
        round_joules_(joules_of(trace_, round.length)),
        clock_(clock),
        opened_(clock.now()) {
    trace_.facts.meter = "replay";
    trace_.facts.is_replayed = true;
  }

  PowerSourceFacts facts() const override { return trace_.facts; }

  PowerReading read() override {
    const double elapsed = (clock_.now() - opened_).value;
    const double rounds = std::floor(elapsed / round_.length.value);
    const double time = round_.begin.value + (elapsed - rounds * round_.length.value);
    const auto next =
        std::upper_bound(trace_.samples.begin(), trace_.samples.end(), time,
                         [](double moment, const PowerSample& sample) { return moment < sample.time.value; });
    if (next == trace_.samples.begin()) return early();
    PowerReading reading = std::prev(next)->reading;
    if (reading.energy.has_value()) {
      reading.energy = Joules{reading.energy.value().value + rounds * round_joules_};
    }
    return reading;
  }

 private:
  /// Before its first sample, where other parts of the log begin earlier.
  static PowerReading early() {
    PowerReading reading;
    reading.energy = absent("the log has it only later");
    reading.power = absent("the log has it only later");
    return reading;
  }

  PowerTrace trace_;
  Round round_;
  double round_joules_;
  const Clock& clock_;
  Seconds opened_;
};

PowerSources open(const MeterRequest& request, std::string&) {
  if (request.argument.empty()) {
    throw Error(ErrorKind::kUsage, "--meter replay: names no log; write --meter replay:power.csv");
  }
  PowerLog log = read_power_log(request.argument, {});
  const Round round = round_of(log.traces);
  PowerSources sources;
  for (PowerTrace& trace : log.traces) {
    sources.push_back(std::make_unique<ReplaySource>(std::move(trace), round, request.clock));
  }
  return sources;
}

}  // namespace

MeterEntry entry_replay() { return {"replay", "a recorded log as if live: replay:FILE", false, open}; }

}  // namespace gpubench
