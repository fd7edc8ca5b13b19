#pragma once
// The energy of a case as one source of power counted it: plain data.

#include <cstdint>
#include <string>
#include <vector>

#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/names.h"

namespace gpubench {

/// What a figure of power includes. Figures of different scopes do not compare.
enum class PowerScope {
  kUnknown,
  kGpuBoard,    ///< The whole card: processor, memory, fans, converters.
  kGpuRail,     ///< The GPU part of a chip.
  kCpuPackage,  ///< A processor package with its cores and caches.
  kDram,        ///< Memory modules.
  kSoc,         ///< CPU, GPU and accelerators of one chip together.
  kSystem,      ///< The whole machine.
  kBattery,     ///< What a battery gives off: the whole machine while it is not plugged in.
};
inline constexpr std::array kPowerScopeNames{"unknown", "gpu-board", "gpu-rail", "cpu-package",
                                             "dram",    "soc",       "system",   "battery"};
constexpr EnumNames<PowerScope> enum_names(PowerScope) { return {"scope", kPowerScopeNames}; }

/// How joules were found.
enum class EnergyMethod {
  kCounterDifference,  ///< Of an energy counter, between the ends of the window.
  kTrapezoid,          ///< Of power samples, clipped to the window.
  kSpikeQ30,  ///< Mean of the samples from the 0.30 quantile up, times the mean epoch: biased upward.
};
inline constexpr std::array kEnergyMethodNames{"counter-difference", "trapezoid", "spike-q30"};
constexpr EnumNames<EnergyMethod> enum_names(EnergyMethod) { return {"energy method", kEnergyMethodNames}; }

/// One source of power over one case. "Timed" are the epochs after the warm-up; times count from `started_at`
/// of the case. Lists have an entry for every epoch, the warm-up included, NaN or empty where there is none.
struct EnergyRecord {
  std::string meter;   ///< Name in the catalog of meters, or of the log's format: "nvml", "nvidia-smi".
  std::string part;    ///< Which of them: "GPU 0 NVIDIA H200", "package-0".
  std::string device;  ///< Whose work it measures, as in CaseRecord::device; empty where that is not known.
  std::string device_note;  ///< Why it is not known; then the energy is that of no case.
  PowerScope scope = PowerScope::kUnknown;
  std::string quantity;  ///< "energy counter", "instantaneous power", "power averaged over 1 s", ...
  EnergyMethod method = EnergyMethod::kTrapezoid;

  Measured<Joules> energy;  ///< Gross, over all timed epochs; absent with the reason, never guessed.
  std::vector<double> epoch_joules;
  Seconds window{0};            ///< Sum of the timed epochs that `energy` belongs to.
  Measured<Watts> peak;         ///< Of the timed epochs, as finely as the source tells.
  Measured<Watts> idle_before;  ///< Mean before the case's process started,
  Measured<Watts> idle_after;   ///< and after it ended.

  Measured<double> coverage;        ///< Part of the timed epochs for which the source answered.
  std::int64_t samples = 0;         ///< Of the source within the timed epochs.
  Measured<Seconds> source_period;  ///< Between two changes of what the source shows.
  Measured<double> sampler_load;    ///< Part of one core that reading all sources took.

  Measured<Seconds> watts_start;  ///< When the first of `watts` began: below zero, for idle is in it.
  Measured<Seconds> watts_step;   ///< Each of `watts` is the mean over such a stretch.
  std::vector<double> watts;      ///< Power from idle to idle, downsampled; NaN where nothing was read.
  std::vector<double> temperature_celsius;  ///< Highest temperature in each epoch.
  std::vector<double> clock_hertz;          ///< Mean clock in each epoch.
  std::vector<double> epoch_limit_watts;    ///< Power limit in each epoch.
  std::vector<std::string> epoch_throttle;  ///< Why clocks were held down: "power cap, heat"; or empty.
  std::vector<std::string> notes;           ///< What a reader should know about the figures.
};

}  // namespace gpubench
