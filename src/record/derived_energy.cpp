#include "gpubench/record/derived.h"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <span>
#include <vector>

namespace gpubench {
namespace {

constexpr double kBurst = 60;     // Seconds.
constexpr double kSlowed = 0.95;  // Of the first minute's speed.

/// Scopes by how closely they stand for a device: its own first, then what contains it.
std::span<const PowerScope> scopes_of(const std::string& device) {
  static constexpr std::array kGpu{PowerScope::kGpuBoard, PowerScope::kGpuRail, PowerScope::kSoc,
                                   PowerScope::kSystem,   PowerScope::kBattery, PowerScope::kUnknown};
  static constexpr std::array kCpu{PowerScope::kCpuPackage, PowerScope::kSoc, PowerScope::kSystem,
                                   PowerScope::kBattery, PowerScope::kUnknown};
  if (device == "cpu") return kCpu;
  return kGpu;
}

using Parts = std::vector<const EnergyRecord*>;

/// Those of one scope that measured the case's device, or that do not tell whose work they measured.
Parts parts_of(const CaseRecord& record, PowerScope scope) {
  Parts parts;
  for (const EnergyRecord& energy : record.energy) {
    const bool is_of_device = energy.device.empty() || energy.device == record.device;
    if (is_of_device && energy.scope == scope) parts.push_back(&energy);
  }
  return parts;
}

/// A log says little of what it is of: where it is all there is, it stands for the device.
Parts parts_of(const CaseRecord& record) {
  for (const PowerScope scope : scopes_of(record.device)) {
    Parts parts = parts_of(record, scope);
    if (!parts.empty()) return parts;
  }
  if (record.energy.size() == 1 && record.energy.front().device.empty()) return {&record.energy.front()};
  return {};
}

/// Mean of what is known of the idle power around the case.
Reading<double> idle_watts(const EnergyRecord& energy) {
  const Reading<Watts>& before = energy.idle_before;
  const Reading<Watts>& after = energy.idle_after;
  if (before.has_value() && after.has_value()) return (before.value().value + after.value().value) / 2;
  const Reading<Watts>& known = before.has_value() ? before : after;
  if (known.has_value()) return known.value().value;
  return absent("idle power: " + before.reason());
}

/// Sums over the parts, per timed epoch.
struct Sums {
  double joules = 0;
  double low = 0;
  double high = 0;
  Reading<double> idle = 0.0;  ///< Watts.
};

Sums sums_of(const Parts& parts) {
  Sums sums;
  for (const EnergyRecord* part : parts) {
    const double joules = part->energy.value().value;
    sums.joules += joules;
    sums.low += part->energy_low.has_value() ? part->energy_low.value().value : joules;
    sums.high += part->energy_high.has_value() ? part->energy_high.value().value : joules;
    const Reading<double> idle = idle_watts(*part);
    if (!idle.has_value()) {
      sums.idle = idle;
    } else if (sums.idle.has_value()) {
      sums.idle = sums.idle.value() + idle.value();
    }
  }
  return sums;
}

CaseEnergy energy_of(const Parts& parts, double epochs) {
  const EnergyRecord& first = *parts.front();
  const Sums sums = sums_of(parts);
  CaseEnergy energy{first.scope, first.method, first.meter, {}, {}, 0, {}};
  energy.epoch_joules = {sums.joules / epochs, Interval{sums.low / epochs, sums.high / epochs}};
  energy.mean_watts = sums.joules / first.window.value;
  energy.net_joules =
      sums.idle.then([&](double idle) { return (sums.joules - idle * first.window.value) / epochs; });
  energy.peak_watts =
      parts.size() == 1 ? first.peak.then(&Watts::value) : absent("parts do not peak at once");
  return energy;
}

/// When a timed epoch began, since the first one, and how fast it was.
struct EpochSpeed {
  double start;
  double samples_per_second;
};

std::vector<EpochSpeed> speeds_of(const CaseRecord& record) {
  std::vector<EpochSpeed> speeds;
  double start = 0;
  for (const double seconds : steady_epochs(record)) {
    if (seconds > 0) speeds.push_back({start, static_cast<double>(record.train_samples) / seconds});
    start += seconds;
  }
  return speeds;
}

double median_speed(std::span<const EpochSpeed> speeds) {
  std::vector<double> values;
  for (const EpochSpeed& speed : speeds) values.push_back(speed.samples_per_second);
  return median_of(values);
}

/// The median of values that come one by one.
class RunningMedian {
 public:
  void add(double value) {
    if (lower_.empty() || value <= lower_.top()) {
      lower_.push(value);
    } else {
      upper_.push(value);
    }
    if (lower_.size() > upper_.size() + 1) {
      upper_.push(lower_.top());
      lower_.pop();
    } else if (upper_.size() > lower_.size()) {
      lower_.push(upper_.top());
      upper_.pop();
    }
  }

  double value() const {
    return lower_.size() > upper_.size() ? lower_.top() : (lower_.top() + upper_.top()) / 2;
  }

 private:
  std::priority_queue<double> lower_;  // The half that has the middle one of an odd number.
  std::priority_queue<double, std::vector<double>, std::greater<>> upper_;
};

/// The earliest epoch from which on the case is slow for good. Medians of fewer than this many say little.
Reading<double> onset_of(std::span<const EpochSpeed> speeds, double burst) {
  constexpr std::size_t kLeast = 3;
  Reading<double> onset = absent("it did not fall below 95 % of the first minute's speed");
  RunningMedian rest;
  for (std::size_t i = speeds.size(); i-- > 0;) {
    rest.add(speeds[i].samples_per_second);
    const bool is_slow = speeds[i].samples_per_second < kSlowed * burst;
    if (is_slow && i + kLeast <= speeds.size() && rest.value() < kSlowed * burst) onset = speeds[i].start;
  }
  return onset;
}

}  // namespace

Reading<CaseEnergy> case_energy(const CaseRecord& record) {
  if (record.energy.empty()) {
    return absent(record.energy_note.empty() ? "energy was not measured" : record.energy_note);
  }
  const Parts parts = parts_of(record);
  if (parts.empty()) return absent("no source of power measures " + record.device);
  for (const EnergyRecord* part : parts) {
    if (!part->energy.has_value()) return absent(part->energy.reason());
  }
  const auto epochs = static_cast<double>(steady_epochs(record).size());
  if (epochs == 0 || !(parts.front()->window.value > 0)) return absent("no epoch after the warm-up");
  return energy_of(parts, epochs);
}

Reading<double> joules_per_1000_samples(const CaseRecord& record) {
  return case_energy(record).then([&](const CaseEnergy& energy) -> Reading<double> {
    if (record.train_samples <= 0) return absent("no samples");
    return 1000 * energy.epoch_joules.value / static_cast<double>(record.train_samples);
  });
}

Reading<SustainedSpeed> sustained_speed(const CaseRecord& record) {
  const std::vector<EpochSpeed> speeds = speeds_of(record);
  if (speeds.empty() || speeds.back().start < 2 * kBurst) {
    return absent("the timed epochs span less than two minutes (see --soak)");
  }
  const auto first_later = std::find_if(speeds.begin(), speeds.end(),
                                        [](const EpochSpeed& speed) { return speed.start >= kBurst; });
  const std::span<const EpochSpeed> all(speeds);
  SustainedSpeed result;
  result.burst_samples_per_second =
      median_speed(all.first(static_cast<std::size_t>(first_later - speeds.begin())));
  result.sustained_samples_per_second = median_speed(all.subspan(all.size() / 2));
  result.kept = result.sustained_samples_per_second / result.burst_samples_per_second;
  result.onset_seconds = onset_of(all, result.burst_samples_per_second);
  return result;
}

}  // namespace gpubench
