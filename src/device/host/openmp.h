#pragma once
// OpenMP, which runs LibTorch's threads on a CPU, as variables of the environment set it up. No LibTorch.

#include <cstdint>
#include <string>

namespace gpubench {

/// Variables that decide how many threads compute and on which cores: "OMP_PLACES=cores,
/// OMP_PROC_BIND=close", sorted. Empty where none is set.
std::string thread_variables();

/// Chooses how OpenMP's threads wait for each other in this process and those that it starts, unless the user
/// has. To be called before LibTorch is loaded. docs/modes.md has the measurement.
void choose_wait_policy();

/// How they wait: "OMP_WAIT_POLICY=passive", "GOMP_SPINCOUNT=1000"; "default" where no variable says it.
std::string wait_policy();

/// Whether they spin before they sleep.
bool spins_while_waiting();

/// What the loaded OpenMP allows; nothing is limited where none is loaded.
struct OpenMpLimits {
  std::int64_t threads;     ///< Most threads at a time (OMP_THREAD_LIMIT).
  std::int64_t cores = 0;   ///< Logical cores that threads are bound to; 0 where they are not bound.
  bool is_dynamic = false;  ///< May use fewer threads than asked for (OMP_DYNAMIC).
};

OpenMpLimits openmp_limits();

}  // namespace gpubench
