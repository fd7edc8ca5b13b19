#pragma once
// Energy of a case measured by one power source.

#include <cstdint>
#include <string>
#include <vector>

#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/names.h"

namespace gpubench {

/// Hardware covered by a power source. Values of different scopes are not comparable.
enum class PowerScope {
  kUnknown,
  kGpuBoard,    ///< Whole card: processor, memory, fans, converters.
  kGpuRail,     ///< GPU part of a chip.
  kCpuPackage,  ///< Processor package with cores and caches.
  kDram,        ///< Memory modules.
  kSoc,         ///< CPU, GPU and accelerators of one chip.
  kSystem,      ///< Whole machine.
  kBattery,     ///< Discharge of the battery: the whole machine while unplugged.
};
inline constexpr std::array kPowerScopeNames{"unknown", "gpu-board", "gpu-rail", "cpu-package",
                                             "dram",    "soc",       "system",   "battery"};
constexpr EnumNames<PowerScope> enum_names(PowerScope) { return {"scope", kPowerScopeNames}; }

enum class EnergyMethod {
  kCounterDifference,  ///< Difference of an energy counter between the ends of the window.
  kTrapezoid,          ///< Trapezoidal rule over power samples, clipped to the window.
  kSpikeQ30,           ///< Mean of samples above the 0.30 quantile times the mean epoch; biased upward.
};
inline constexpr std::array kEnergyMethodNames{"counter-difference", "trapezoid", "spike-q30"};
constexpr EnumNames<EnergyMethod> enum_names(EnergyMethod) { return {"energy method", kEnergyMethodNames}; }

/// Measurements of one power source during one case. "Timed" epochs are those after the warm-up. Times count
/// from `started_at` of the case. Lists have an entry per epoch, warm-up included; NaN or empty if missing.
struct EnergyRecord {
  std::string meter;        ///< Name of the meter, or of the log format: "nvml", "nvidia-smi".
  std::string part;         ///< Part that the source measures: "GPU 0 NVIDIA H200", "package-0".
  std::string device;       ///< Measured device, as in CaseRecord::device; empty if unknown.
  std::string device_note;  ///< Reason for an unknown device. The energy then counts for no case.
  PowerScope scope = PowerScope::kUnknown;
  std::string quantity;  ///< "energy counter", "instantaneous power", "power averaged over 1 s", ...
  EnergyMethod method = EnergyMethod::kTrapezoid;

  Measured<Joules> energy;           ///< Gross energy over all timed epochs.
  std::vector<double> epoch_joules;  ///< Gross energy of each epoch.
  Seconds window{0};                 ///< Total time of the timed epochs.
  Measured<Watts> peak;              ///< Peak power in the timed epochs, at the resolution of the source.
  Measured<Watts> idle_before;       ///< Mean idle power before the start of the process.
  Measured<Watts> idle_after;        ///< Mean idle power after the end of the process.

  Measured<double> coverage;        ///< Fraction of the timed epochs with readings.
  std::int64_t samples = 0;         ///< Number of readings in the timed epochs.
  Measured<Seconds> source_period;  ///< Update period of the source.
  Measured<double> sampler_load;    ///< Fraction of one core used to read all sources.

  Measured<Seconds> watts_start;            ///< Start of `watts`; negative, since idle time is included.
  Measured<Seconds> watts_step;             ///< Averaging time of each of `watts`.
  std::vector<double> watts;                ///< Power from idle to idle, downsampled; NaN if missing.
  std::vector<double> temperature_celsius;  ///< Highest temperature in each epoch.
  std::vector<double> clock_hertz;          ///< Mean clock in each epoch.
  std::vector<double> epoch_limit_watts;    ///< Power limit in each epoch.
  std::vector<std::string> epoch_throttle;  ///< Reasons for reduced clocks: "power cap, heat"; else empty.
  std::vector<std::string> notes;           ///< Cautions about the figures.
};

}  // namespace gpubench
