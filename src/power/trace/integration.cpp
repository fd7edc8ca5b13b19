#include "power/trace/integration.h"

#include "power/trace/evaluation.h"

namespace gpubench {

EnergyEstimate energy_of(const PowerTrace& trace, std::span<const TimeSpan> windows) {
  return power::Evaluation(trace).energy_of(windows);
}

Reading<Watts> mean_power(const PowerTrace& trace, TimeSpan span) {
  return power::Evaluation(trace).mean_power(span);
}

Reading<Seconds> source_period(const PowerTrace& trace) { return power::Evaluation(trace).source_period(); }

Reading<Seconds> least_window(const PowerTrace& trace) { return power::Evaluation(trace).least_window(); }

}  // namespace gpubench
