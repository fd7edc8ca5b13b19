#include "engine/peak/measure_peak.h"

#include <cmath>

#include "engine/peak/peak_probe.h"
#include "engine/torch/failure.h"

namespace gpubench {
namespace {

constexpr Patience kTrialPatience{Seconds{0.01}, Seconds{0.04}, 2};
constexpr Patience kFullPatience{Seconds{0.05}, Seconds{4}, 5};
constexpr Patience kSingleCall{Seconds{0}, Seconds{0}, 1};

/// For devices that do not tell what is free.
constexpr Bytes kAssumedMemory{std::int64_t{2} << 30};

}  // namespace

Bytes PeakProbe::memory() const {
  const Reading<Bytes> free = device_.free_memory();
  return free.has_value() ? Bytes{free.value().value / 2} : kAssumedMemory;
}

Seconds PeakProbe::time(const std::function<void()>& work) const {
  return best_call_time(device_, clock_, is_trial_ ? kTrialPatience : kFullPatience, work);
}

Seconds PeakProbe::time_once(const std::function<void()>& work) const {
  return best_call_time(device_, clock_, kSingleCall, work);
}

Reading<double> PeakProbe::add(PeakKind kind, const std::string& precision, std::int64_t size,
                               const std::function<double()>& measure) {
  PeakPoint point{kind, precision, size};
  try {
    const double value = measure();
    point.value = std::isfinite(value) ? Reading<double>(value) : absent("it took no time on this clock");
  } catch (const std::exception& error) {
    point.value = absent(classify(error).message);
  }
  add(point);
  return point.value;
}

void PeakProbe::add_absent(PeakKind kind, const std::string& precision, const std::string& reason) {
  add({kind, precision, 0, absent(reason)});
}

void PeakProbe::add(PeakPoint point) {
  tell_(point);
  points_.push_back(std::move(point));
}

PeakMeasurement measure_peak(Device& device, const Clock& clock, PeakEffort effort, const TellPoint& tell) {
  PeakProbe probe(device, clock, effort, tell);
  measure_products(probe);
  measure_bandwidth(probe);
  measure_latency(probe);
  PeakMeasurement measured{device.record(), probe.points()};
  set_peak(measured.device, measured.points, utc_timestamp());
  return measured;
}

}  // namespace gpubench
