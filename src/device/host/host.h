#pragma once
// Facts and events of the machine. No LibTorch here or below; docs/environment.md has the sources.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpubench/core/io/files.h"
#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/environment.h"

namespace gpubench {

std::string host_name();

std::string kernel_name();

// Linux reads its facts from `files`; tests give other ones.

/// Reads host, system, kernel, processor, physical cores and memory: linux_host.cpp, apple.cpp.
Environment read_host(const HostFiles& files = HostFiles());

struct CoreLimits {
  double available = 1;  ///< Those that affinity and the cgroup quota leave; fractional where the quota is.
  std::int64_t physical = 1;  ///< Cores in the affinity mask; hyperthreads of one core count once.

  /// Threads that find a core each: `physical`, but no more than the whole cores of `available`.
  std::int64_t threads() const;
};

/// Returns the limits at the first call, which must precede LibTorch: with OMP_PROC_BIND OpenMP narrows the
/// affinity mask of the first thread.
const CoreLimits& core_limits();

/// Returns the limits for these logical cores of the affinity mask. Linux only.
CoreLimits read_core_limits(const HostFiles& files, const std::vector<int>& logical);

/// Restores the affinity mask of the first core_limits() call for processes that this thread starts.
class InitialAffinity {
 public:
  InitialAffinity();
  ~InitialAffinity();
  InitialAffinity(const InitialAffinity&) = delete;
  InitialAffinity& operator=(const InitialAffinity&) = delete;

 private:
  std::vector<int> bound_;  // Cores of the mask to go back to; empty where it did not change.
};

/// Returns the cores that affinity leaves to this process, as "0-3,8"; empty on systems without affinity.
std::string usable_cores();

/// Counts NVIDIA's usable GPUs by the driver's files and CUDA_VISIBLE_DEVICES, without a driver call.
std::int64_t visible_nvidia_gpus();

/// Makes glibc keep freed memory, lest each large tensor pays its page faults again. Call before LibTorch is
/// loaded. Idempotent and permanent.
void tune_allocator();

/// Returns "tuned" if large blocks come from kept memory, else "system". Found by trying.
std::string allocator_name();

/// Leaves one thread to an OpenBLAS that starts its own: the two pools would compete for cores. Call after
/// LibTorch is loaded. Idempotent. Returns a sentence about it, or an empty one.
std::string cure_blas_clash();

/// Describes a fault in PYTORCH_ALLOC_CONF or its older names (LibTorch asserts on these); empty if none.
std::string allocator_variable_flaw();

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

/// Returns the memory left to this process, or to its cgroup. The kernel's file cache counts as left.
Measured<Bytes> available_memory(const HostFiles& files = HostFiles());

/// Returns the size of the caches next to main memory, those of all sockets together.
Measured<Bytes> last_level_cache(const HostFiles& files = HostFiles());

/// Counters of the operating system, of which the growth has a meaning. Missing if the platform lacks one.
struct HostState {
  Seconds at;                ///< On a steady clock that stands still while the machine sleeps.
  Measured<Seconds> asleep;  ///< Time that the machine was suspended.
  std::int64_t cores = 0;    ///< Logical cores that `busy` and `stolen` cover; 0 where they are absent.
  Measured<Seconds> busy;    ///< CPU time that all processes and the kernel took on all cores together.
  Measured<Seconds> stolen;  ///< Time in which cores had work, but the hypervisor ran something else.
  Measured<std::int64_t> out_of_memory_kills;  ///< Of this process's cgroup, or else of the machine.
  Measured<std::int64_t> throttle_events;      ///< Slowdowns for heat, counted by each logical core.
  Measured<std::int64_t> quota_stops;          ///< How often a CPU quota stopped this process's cgroups.
  Measured<Seconds> quota_stopped;             ///< For how long, on all cores together.
  Measured<Seconds> core_wait;  ///< Time in which threads of this process were ready to run without a core.
  Measured<std::string> governor;  ///< Of the CPU's frequency; "performance, powersave" where mixed.
  Measured<bool> is_on_battery;
  Measured<bool> is_saving_power;  ///< The user has asked for long battery life or silence instead of speed.
  Measured<std::string> thermal_pressure;  ///< "nominal", "moderate", "heavy", "trapping" or "sleeping".
};

/// Prevents sleep while the result lives, on macOS. Empty elsewhere.
std::shared_ptr<void> keep_awake();

/// Returns the cores of an integrated GPU, of which one model has several sizes.
Measured<std::int64_t> integrated_gpu_cores();

/// Takes a few milliseconds at most. Never throws for readings that fail.
HostState read_host_state(const HostFiles& files = HostFiles());

/// Returns disturbances between two states, in a fixed order. `own_cpu` is gpubench's own CPU time.
std::vector<Warning> host_warnings(const HostState& before, const HostState& after, Seconds own_cpu);

/// Warns, with the cause, if `threads` that wait for each other lacked a core for much of the time. `spins`:
/// they spin while they wait.
std::vector<Warning> core_wait_warnings(const HostState& before, const HostState& after, Seconds own_cpu,
                                        std::int64_t threads, bool spins);

}  // namespace gpubench
