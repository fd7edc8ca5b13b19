#pragma once
// OpenMP, which runs LibTorch's threads on a CPU. No LibTorch.

#include <cstdint>
#include <string>

namespace gpubench {

/// Returns the set variables of threads and cores, sorted: "OMP_PLACES=cores, OMP_PROC_BIND=close".
std::string thread_variables();

/// Sets the wait policy, unless the user has. Call before LibTorch is loaded; measured in docs/modes.md.
void choose_wait_policy();

/// Returns "OMP_WAIT_POLICY=passive" or "GOMP_SPINCOUNT=1000"; "default" if unset.
std::string wait_policy();

bool spins_while_waiting();

/// Limits of the loaded OpenMP; unlimited where none is loaded.
struct OpenMpLimits {
  std::int64_t threads;     ///< Most threads at a time (OMP_THREAD_LIMIT).
  std::int64_t cores = 0;   ///< Logical cores that threads are bound to; 0 where they are not bound.
  bool is_dynamic = false;  ///< May use fewer threads than asked for (OMP_DYNAMIC).
};

OpenMpLimits openmp_limits();

}  // namespace gpubench
