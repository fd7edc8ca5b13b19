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
  Measured<Seconds> period;     ///< Time between two changes of the reading.
  Measured<Seconds> lag;        ///< Time from the start of the load to half of the rise in power.
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
  std::string why_none;     ///< Reason for missing sources.
  double sampler_load = 0;  ///< Fraction of one core that reads the sources.
};

/// Reads the meters during `load` and for three idle seconds before and after. `load` returns its busy time.
PowerTrial try_power(OpenMeters meters, double cores, const Clock& clock,
                     const std::function<TimeSpan()>& load);

struct BestSource {
  std::string part;  ///< "nvml GPU 0 NVIDIA H200"; empty if no source is usable.
  std::string reason;
};

/// Returns the best source for `device`. Prefers counters; ignores sources that do not show the load.
BestSource best_source(const std::vector<PowerDiagnosis>& sources, const std::string& device);

}  // namespace gpubench
