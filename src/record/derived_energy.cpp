#include "gpubench/record/derived.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "record/field_value.h"

namespace gpubench {
namespace {

using C = CaseRecord;

constexpr double kBurst = 60;     // Duration of burst throughput, in seconds.
constexpr double kSlowed = 0.95;  // Fraction of burst throughput.
constexpr int kSlowEpochs = 3;

/// Scopes by preference: the device itself first, then hardware that contains it.
constexpr std::array kByCloseness{PowerScope::kGpuBoard, PowerScope::kGpuRail, PowerScope::kCpuPackage,
                                  PowerScope::kSoc,      PowerScope::kSystem,  PowerScope::kBattery,
                                  PowerScope::kUnknown};

using Parts = std::vector<const EnergyRecord*>;

/// Returns true if the case uses `device`. Several ranks use consecutive devices, starting with the case's.
bool uses_device(const std::string& device, const CaseRecord& record) {
  if (device.empty() || device == record.device) return true;
  const std::size_t colon = record.device.find(':');
  if (colon == std::string::npos || device.substr(0, colon + 1) != record.device.substr(0, colon + 1))
    return false;
  const auto number = [colon](const std::string& name) { return std::atoll(name.c_str() + colon + 1); };
  const auto place = number(device) - number(record.device);
  return place > 0 && place < record.ranks;
}

/// Returns the sources of the preferred scope that measured the case's device. Sources of an unknown device
/// count too, such as a single log, but not if several GPUs are candidates.
Measured<Parts> list_parts(const CaseRecord& record) {
  const bool is_on_cpu = record.device == "cpu";
  for (const PowerScope scope : kByCloseness) {
    const bool is_gpu_scope = scope == PowerScope::kGpuBoard || scope == PowerScope::kGpuRail;
    if (is_on_cpu ? is_gpu_scope : scope == PowerScope::kCpuPackage) continue;
    Parts parts;
    for (const EnergyRecord& energy : record.energy) {
      const bool is_candidate = uses_device(energy.device, record) && energy.device_note.empty();
      if (is_candidate && energy.scope == scope) parts.push_back(&energy);
    }
    if (is_gpu_scope && parts.size() > 1)
      std::erase_if(parts, [](const EnergyRecord* part) { return part->device.empty(); });
    if (!parts.empty()) return parts;
  }
  const auto unmatched = std::ranges::find_if(
      record.energy, [](const EnergyRecord& energy) { return !energy.device_note.empty(); });
  if (unmatched == record.energy.end()) return missing("no power source measures {}", record.device);
  return missing("no power source is known to measure {}: {}", record.device, unmatched->device_note);
}

/// Returns the energy of `parts` per epoch, for `epochs` timed epochs.
CaseEnergy compute_energy(const Parts& parts, double epochs) {
  double joules = 0;
  double drift = 0;             // Uncertainty of idle power in watts: half of its change during the case.
  Measured<double> idle = 0.0;  // Watts.
  for (const EnergyRecord* part : parts) {
    joules += part->energy.value().value;
    if (!part->idle_before.has_value() && !part->idle_after.has_value())
      idle = missing("idle power: " + part->idle_before.reason());
    // If one is unknown, the other replaces it.
    const Watts before = part->idle_before.value_or(part->idle_after.value_or(Watts{0}));
    const Watts after = part->idle_after.value_or(before);
    idle = idle.then([=](double watts) { return watts + (before.value + after.value) / 2; });
    drift += std::abs(after.value - before.value) / 2;
  }
  const EnergyRecord& first = *parts.front();
  const double seconds = first.window.value;
  const auto compute_net = [&](double watts) -> Measured<double> {
    const double net = joules - watts * seconds;
    return net > drift * seconds ? Measured<double>(net / epochs) : missing("not measurable above idle");
  };
  return {.scope = first.scope,
          .method = first.method,
          .meter = first.meter,
          .epoch_joules = joules / epochs,
          .net_joules = idle.then(compute_net),
          .idle_watts = idle,
          .mean_watts = joules / seconds,
          .peak_watts = parts.size() == 1 ? first.peak.then(&Watts::value)
                                          : missing("several parts may peak at different times")};
}

/// Throughput of a timed epoch.
struct EpochSpeed {
  double start;  ///< Seconds since the first timed epoch.
  double samples_per_second;
};

std::vector<EpochSpeed> list_speeds(const CaseRecord& record) {
  std::vector<EpochSpeed> speeds;
  double start = 0;
  for (const double seconds : steady_epochs(record)) {
    if (seconds > 0) speeds.push_back({start, static_cast<double>(record.train_samples) / seconds});
    start += seconds;
  }
  return speeds;
}

double median_speed(std::span<const EpochSpeed> speeds) {
  return compute_median(mapped(speeds, &EpochSpeed::samples_per_second));
}

template <class Figure>
Access<C> energy_figure(Figure of) {
  return derived<C>([of](const C& record) { return case_energy(record).then(of); }).in("energy").optional();
}

Measured<double> energy_delay(const C& record) {
  return case_energy(record).then(
      [&](const CaseEnergy& energy) { return energy.epoch_joules * summarize(steady_epochs(record)).mean; });
}

Measured<double> kept_speed(const C& record) { return sustained_speed(record).then(&SustainedSpeed::kept); }

}  // namespace

Measured<CaseEnergy> case_energy(const CaseRecord& record) {
  if (record.energy.empty()) {
    return missing(record.energy_note.empty() ? "energy was not measured" : record.energy_note);
  }
  return list_parts(record).then([&](const Parts& parts) -> Measured<CaseEnergy> {
    for (const EnergyRecord* part : parts) {
      if (!part->energy.has_value()) return missing(part->energy.reason());
    }
    const auto epochs = static_cast<double>(steady_epochs(record).size());
    if (epochs == 0 || !(parts.front()->window.value > 0)) return missing("no epoch after the warm-up");
    return compute_energy(parts, epochs);
  });
}

Measured<double> joules_per_1000_samples(const CaseRecord& record) {
  return case_energy(record).then([&](const CaseEnergy& energy) -> Measured<double> {
    if (record.train_samples <= 0) return missing("no samples");
    return 1000 * energy.epoch_joules / static_cast<double>(record.train_samples);
  });
}

Measured<SustainedSpeed> sustained_speed(const CaseRecord& record) {
  const std::vector<EpochSpeed> speeds = list_speeds(record);
  if (speeds.empty() || speeds.back().start < 2 * kBurst) {
    return missing("the timed epochs span less than two minutes (see --min-time)");
  }
  const auto is_later = [](double start) { return start >= kBurst; };
  const auto first_later = std::ranges::find_if(speeds, is_later, &EpochSpeed::start);
  const double burst = median_speed({speeds.begin(), first_later});
  const double sustained = median_speed(std::span(speeds).subspan(speeds.size() / 2));
  SustainedSpeed speed{burst, sustained, sustained / burst,
                       missing("throughput stayed above 95 % of the first minute's")};
  if (speed.kept < kSlowed) {
    const auto is_slow = [=](const EpochSpeed& epoch, bool) {
      return epoch.samples_per_second < kSlowed * burst;
    };
    const auto slow = std::search_n(speeds.begin(), speeds.end(), kSlowEpochs, true, is_slow);
    if (slow != speeds.end()) speed.onset_seconds = slow->start;
  }
  return speed;
}

std::vector<Field<C>> energy_figures() {
  return std::vector<Field<C>>({
      {"energy_scope", "", "energy scope", "Scope of the energy figures.", energy_figure(&CaseEnergy::scope)},
      {"mean_epoch_joules", "J", "epoch energy", kIfUnusual, "Gross energy per epoch after the warm-up.",
       energy_figure(&CaseEnergy::epoch_joules)
           .rank(8)
           .metric({.metric_class = MetricClass::kEnergy,
                    .is_per_epoch = true,
                    .is_series = true,
                    .noun = "energy per epoch"})},
      {"energy_delay_product", "J s", "energy-delay",
       "Energy-delay product: gross energy times duration of a mean epoch.",
       derived<C>(energy_delay)
           .in("energy")
           .optional()
           .metric(
               {.metric_class = MetricClass::kEnergy, .is_per_epoch = true, .noun = "energy-delay product"})},
      {"net_epoch_joules", "J", "net epoch energy", "Net energy per epoch; null if idle power changed more.",
       energy_figure(&CaseEnergy::net_joules)},
      {"joules_per_1000_samples", "J", "energy per 1,000 samples", "Gross energy per 1,000 samples.",
       derived<C>(joules_per_1000_samples)
           .in("energy")
           .optional()
           .metric({.metric_class = MetricClass::kEnergy})},
      {"mean_watts", "W", "mean power", kIfUnusual, "Mean power after the warm-up.",
       energy_figure(&CaseEnergy::mean_watts)},
      {"peak_watts", "W", "peak power", "Peak power after the warm-up.",
       energy_figure(&CaseEnergy::peak_watts)},
      {"sustained_share", "fraction", "sustained", kIfUnusual,
       "Long-run throughput as a fraction of the first minute's.", derived<C>(kept_speed).optional()},
  });
}

}  // namespace gpubench
