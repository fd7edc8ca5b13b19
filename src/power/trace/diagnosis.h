#pragma once
// Properties of a source of power, found by loading its device. No LibTorch.

#include <functional>
#include <string>
#include <vector>

#include "gpubench/power_meter.h"
#include "power/log/power_log.h"

namespace gpubench {

struct TrialTimes {
  TimeSpan idle_before;
  TimeSpan load;
  TimeSpan idle_after;
};

struct PowerDiagnosis {
  PowerSourceFacts facts;
  Measured<Seconds> period;     ///< Between two changes of what it shows.
  Measured<Seconds> lag;        ///< From the beginning of the load to half of the rise of power.
  Measured<Joules> by_counter;  ///< Energy of the load by the counter.
  Measured<Joules> by_power;    ///< Energy of the load by the integral of the power sensor.
  Measured<Watts> idle_before;
  Measured<Watts> load;
  Measured<Watts> idle_after;
  Measured<Seconds> least_window;  ///< Shortest window whose ends are known to 5 %.
};

PowerDiagnosis diagnose(const PowerTrace& trace, const TrialTimes& times);

struct PowerTrial {
  std::vector<PowerDiagnosis> sources;
  std::string why_none;     ///< Empty where there are sources.
  double sampler_load = 0;  ///< Part of one core that reading them takes.
};

/// Reads three idle seconds before and after `load`, which returns its busy time by `clock`.
PowerTrial try_power(OpenMeters meters, double cores, const Clock& clock,
                     const std::function<TimeSpan()>& load);

struct BestSource {
  std::string part;  ///< As "nvml GPU 0 NVIDIA H200"; empty where no source will do.
  std::string reason;
};

/// A counter goes before a sensor, and a source whose load does not show is none of this device.
BestSource best_source(const std::vector<PowerDiagnosis>& sources, const std::string& device);

}  // namespace gpubench
