#include "gpubench/record/energy.h"
#include "gpubench/record/utilization.h"
#include "record/case_rows.h"

namespace gpubench {

namespace {

using C = CaseRecord;

/// A figure of the energy that stands for the case: `figure` takes a CaseEnergy.
template <class Figure>
Access<C> of_energy(Figure figure) {
  return {[figure](const C& record) -> FieldValue {
    const Reading<CaseEnergy> energy = case_energy(record);
    return energy.has_value() ? field_value(figure(energy.value())) : absent(energy.reason());
  }};
}

Access<C> end_of_energy(double Interval::*end) {
  return of_energy([end](const CaseEnergy& energy) -> Reading<double> {
    const Reading<Interval>& interval = energy.epoch_joules.interval;
    return interval.has_value() ? Reading<double>(interval.value().*end) : absent(interval.reason());
  });
}

/// A figure of the speed in the long run.
template <class T>
Access<C> of_speed(T SustainedSpeed::*pointer) {
  return {[pointer](const C& record) -> FieldValue {
    const Reading<SustainedSpeed> speed = sustained_speed(record);
    return speed.has_value() ? field_value(speed.value().*pointer) : absent(speed.reason());
  }};
}

}  // namespace

CaseRows memory_rows() {
  return {
      {"peak_host_bytes", "B", "most host memory", Shown::kInFile, member(&C::peak_host)},
      {"peak_device_bytes", "B", "most device memory", Shown::kInFile, member(&C::peak_device)},
      {"peak_reserved_bytes", "B", "most memory reserved", Shown::kInFile, member(&C::peak_reserved)},
      {"device_in_use_bytes", "B", "device memory in use", Shown::kInFile, member(&C::device_in_use)},
      {"epoch_host_bytes", "B", "host memory, an epoch each", Shown::kInFile, member(&C::epoch_host_bytes)},
      {"epoch_device_bytes", "B", "device memory, an epoch each", Shown::kInFile,
       member(&C::epoch_device_bytes)},
  };
}

CaseRows energy_rows() {
  return {
      {"energy_scope", "", "energy of", Shown::kInFile,
       of_energy([](const CaseEnergy& energy) { return to_string(energy.scope); })},
      {"mean_epoch_joules", "J", "energy an epoch", Shown::kInTableWhereUnusual,
       of_energy([](const CaseEnergy& energy) { return energy.epoch_joules.value; })},
      {"mean_epoch_low_joules", "J", "low", Shown::kInFile, end_of_energy(&Interval::low)},
      {"mean_epoch_high_joules", "J", "high", Shown::kInFile, end_of_energy(&Interval::high)},
      {"net_epoch_joules", "J", "net of idle", Shown::kInFile,
       of_energy([](const CaseEnergy& energy) { return energy.net_joules; })},
      {"joules_per_1000_samples", "J", "per 1,000 samples", Shown::kInTableWhereUnusual,
       derived(joules_per_1000_samples)},
      {"mean_watts", "W", "mean power", Shown::kInTableWhereUnusual,
       of_energy([](const CaseEnergy& energy) { return energy.mean_watts; })},
      {"peak_watts", "W", "peak power", Shown::kInFile,
       of_energy([](const CaseEnergy& energy) { return energy.peak_watts; })},
      {"energy_note", "", "why no energy", Shown::kInFile, member(&C::energy_note)},
      {"burst_samples_per_second", "samples/s", "first minute", Shown::kInFile,
       of_speed(&SustainedSpeed::burst_samples_per_second)},
      {"sustained_samples_per_second", "samples/s", "sustained", Shown::kInFile,
       of_speed(&SustainedSpeed::sustained_samples_per_second)},
      {"sustained_share", "fraction", "kept", Shown::kInTableWhereUnusual, of_speed(&SustainedSpeed::kept)},
      {"slowing_onset_seconds", "s", "slower from", Shown::kInFile, of_speed(&SustainedSpeed::onset_seconds)},
  };
}

CaseRows utilization_rows() {
  return {
      {"train_flop_per_sample", "FLOP", "FLOP a sample", Shown::kInFile, member(&C::train_flop_per_sample)},
      {"operations_per_step", "", "operations a step", Shown::kInFile, member(&C::operations_per_step)},
      {"traffic_per_step_bytes", "B", "memory traffic a step", Shown::kInFile, member(&C::traffic_per_step)},
      {"peak_flops_per_second", "FLOP/s", "peak", Shown::kInFile, member(&C::peak_flops_per_second)},
      {"peak_bytes_per_second", "B/s", "peak bandwidth", Shown::kInFile, member(&C::peak_bytes_per_second)},
      {"operation_latency_seconds", "s", "least time of an operation", Shown::kInFile,
       member(&C::operation_latency)},
      {"flops_per_second", "FLOP/s", "FLOP/s", Shown::kInFile, derived(flops_per_second)},
      {"mfu", "fraction", "MFU", Shown::kInTable, derived(mfu)},
      {"compute_share", "fraction", "compute", Shown::kInFile, derived(compute_share)},
      {"memory_share", "fraction", "memory", Shown::kInFile, derived(memory_share)},
      {"launch_share", "fraction", "launches", Shown::kInFile, derived(launch_share)},
      {"input_share", "fraction", "waiting for input", Shown::kInFile, derived(input_share)},
      {"bound", "", "bound by", Shown::kInTable, derived(bound)},
      {"input_wait_seconds", "s", "waiting for input, an epoch each", Shown::kInFile,
       member(&C::input_wait_seconds)},
      {"profiled_steps", "", "steps profiled", Shown::kInFile, member(&C::profiled_steps)},
      {"profile_phase_seconds", "s", "a step by phase", Shown::kInFile, member(&C::profile_phases)},
      {"profile_layer_seconds", "s", "a step by kind of layer", Shown::kInFile, member(&C::profile_layers)},
  };
}

}  // namespace gpubench
