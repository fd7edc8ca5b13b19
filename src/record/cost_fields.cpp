#include "gpubench/record/utilization.h"
#include "record/case_rows.h"

namespace gpubench {

using C = CaseRecord;

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
