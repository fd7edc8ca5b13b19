#pragma once
// Loads with exactly known energy, and simulated meters that read them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "power/log/power_log.h"
#include "support/fake_clock.h"
#include "support/noise.h"

namespace gpubench::test {

/// Power over time, constant within each millisecond from `kOrigin`, so that its energy is exact.
class Load {
 public:
  static constexpr double kOrigin = 1000;  ///< Start time of FakeClock.

  /// Samples `watts`, a function of the time since kOrigin, for `seconds`; later power equals the last value.
  Load(double seconds, const std::function<double(double)>& watts) {
    const auto count = static_cast<std::size_t>(std::ceil(seconds / kStep));
    for (std::size_t i = 0; i < count; ++i) {
      watts_.push_back(watts((static_cast<double>(i) + 0.5) * kStep));
      joules_.push_back(joules_.back() + watts_.back() * kStep);
    }
  }

  double joules(double time) const {
    const double since = std::max(0.0, time - kOrigin);
    const std::size_t step = std::min(static_cast<std::size_t>(since / kStep), watts_.size() - 1);
    return joules_[step] + (since - static_cast<double>(step) * kStep) * watts_[step];
  }
  double joules(const TimeSpan& window) const {
    return joules(window.end.value) - joules(window.begin.value);
  }
  double mean_watts(double begin, double end) const {
    if (begin < kOrigin) begin = kOrigin;
    if (end - begin < 1e-6) end = begin + 1e-6;
    return (joules(end) - joules(begin)) / (end - begin);
  }

 private:
  static constexpr double kStep = 0.001;
  std::vector<double> watts_;
  std::vector<double> joules_{0.0};
};

/// Properties of a simulated meter. Times are in seconds, points in time since kOrigin.
struct MeterModel {
  bool is_counter = false;
  double period = 0;          ///< Time between updates; 0: continuous.
  double averaging = 0;       ///< Length of the window before an update whose mean power is read.
  double resolution = 0.001;  ///< Step of the readings, which are rounded down.
  double stuck_from = 1e9;    ///< Time from which the reading is constant.
  double gone_from = 1e9;     ///< Time from which reading fails.
  double reset_at = 1e9;      ///< Time at which a counter restarts.
  bool is_replayed = false;
};

/// A simulated power source. The load and the clock must outlive it.
class SyntheticMeter {
 public:
  SyntheticMeter(const Load& load, const MeterModel& model, const Clock& clock)
      : load_(load), model_(model), clock_(clock) {}

  PowerSourceFacts facts() const {
    PowerSourceFacts facts{"synthetic", "part 0", "cuda:0", PowerScope::kGpuBoard, "", {0}, "", false};
    if (!model_.is_counter) facts.power_quantity = "instantaneous power";
    facts.averaging = {model_.is_counter ? 0 : model_.averaging};
    facts.is_replayed = model_.is_replayed;
    return facts;
  }

  PowerReading read() const {
    PowerReading reading;
    const double since = clock_.now().value - Load::kOrigin;
    if (since >= model_.gone_from) {
      reading.energy = model_.is_counter ? missing("synthetic: GPU is lost") : missing("no energy counter");
      reading.power = model_.is_counter ? missing("no power sensor") : missing("synthetic: GPU is lost");
    } else if (model_.is_counter) {
      reading.energy = Joules{rounded(counted(updated(since)))};
    } else {
      reading.power = Watts{rounded(shown(updated(since)))};
    }
    return reading;
  }

 private:
  double updated(double since) const {
    const double until = std::min(since, model_.stuck_from);
    if (!(model_.period > 0)) return until;
    return std::floor(until / model_.period) * model_.period;
  }
  double counted(double since) const {
    const double joules = load_.joules(Load::kOrigin + since);
    return since < model_.reset_at ? 500 + joules : joules - load_.joules(Load::kOrigin + model_.reset_at);
  }
  double shown(double since) const {
    const double end = Load::kOrigin + since;
    return load_.mean_watts(end - std::max(model_.averaging, 1e-5), end);
  }
  double rounded(double value) const {
    return model_.resolution > 0 ? std::floor(value / model_.resolution) * model_.resolution : value;
  }

  const Load& load_;
  MeterModel model_;
  const Clock& clock_;
};

/// Returns the readings of `seconds`, every `poll` seconds with a relative jitter of ±`jitter`.
inline PowerTrace make_trace(const Load& load, const MeterModel& model, double seconds, double poll,
                             double jitter = 0, std::uint64_t seed = 1) {
  FakeClock clock;
  Noise noise(seed);
  const SyntheticMeter source(load, model, clock);
  PowerTrace trace{source.facts(), {}};
  for (double time = 0; time <= seconds;) {
    trace.samples.push_back({clock.now(), source.read()});
    const double step = poll * (1 + jitter * (2 * noise.uniform() - 1));
    clock.advance({step});
    time += step;
  }
  return trace;
}

/// Returns a time span given in seconds since kOrigin.
inline TimeSpan between(double begin, double end) { return {{Load::kOrigin + begin}, {Load::kOrigin + end}}; }

}  // namespace gpubench::test
