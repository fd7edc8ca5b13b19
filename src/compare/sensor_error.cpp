#include "compare/sensor_error.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "compare/between_runs.h"

namespace gpubench {
namespace {

/// The larger of the two holds.
struct SensorError {
  std::string_view meter;
  double watts;
  double part;
};

/// Of boards by NVIDIA: 5 W (manual of nvidia-smi) and 5 % (nvml.h, of Fermi and Kepler; nothing is said of
/// later ones). Of other meters no figure is known that holds for all that they read; docs/meters.md says
/// more.
constexpr std::array kSensorErrors = {SensorError{"nvml", 5, 0.05}, SensorError{"nvidia-smi", 5, 0.05}};

/// As a part of the power that was measured.
Reading<double> sensor_error(const EnergyFigures& energy) {
  const auto* const known = std::ranges::find(kSensorErrors, energy.meter, &SensorError::meter);
  if (known == kSensorErrors.end()) return absent("the sensors' own errors are not known");
  return energy.mean_watts.then([&](double watts) { return std::max(known->part, known->watts / watts); });
}

/// What is 1 by such a sensor.
Estimate shown_by(const EnergyFigures& energy) {
  return {1, sensor_error(energy).then([](double part) { return Interval{1 / (1 + part), 1 + part}; })};
}

}  // namespace

Estimate sensors_ratio(const ContenderRow& over, const ContenderRow& under) {
  const bool is_one_kind = over.contender->device.model == under.contender->device.model &&
                           over.figures->energy.meter == under.figures->energy.meter;
  if (is_one_kind) return kExact;
  return ratio_of(shown_by(over.figures->energy), shown_by(under.figures->energy));
}

std::vector<Difference> sensor_differences(const ContenderRow& left, const ContenderRow& right) {
  const std::string& a = left.figures->energy.meter;
  const std::string& b = right.figures->energy.meter;
  // What was published has no meter, and is a caveat anyway.
  if (a.empty() || b.empty() || sensors_ratio(left, right).interval.has_value()) return {};
  Difference difference{"power sensor of unknown error", a, b, {}};
  difference.effect[static_cast<std::size_t>(Metric::kEnergy)] = Judgement::kCaveat;
  return {difference};
}

}  // namespace gpubench
