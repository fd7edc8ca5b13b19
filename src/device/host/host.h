#pragma once
// Facts about the machine, and counters of its disturbances. No LibTorch. Sources: docs/timing.md.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpubench/core/io/files.h"
#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/environment.h"
#include "gpubench/record/warning.h"

namespace gpubench {

std::string host_name();

std::string kernel_name();

// On Linux, facts come from `files`, which tests replace.

/// Reads the host name, system, kernel, processor, physical cores and memory.
Environment read_host(const HostFiles& files = HostFiles());

struct CoreLimits {
  double available = 1;       ///< Logical cores within affinity and cgroup quota; a quota may be fractional.
  std::int64_t physical = 1;  ///< Physical cores in the affinity mask.

  /// Returns the number of threads that get a core each: `physical`, at most the whole part of `available`.
  std::int64_t threads() const;
};

/// Returns the limits at the time of the first call. Call before LibTorch is loaded: with OMP_PROC_BIND,
/// OpenMP narrows the affinity mask of the first thread.
const CoreLimits& core_limits();

/// Returns the limits for the logical cores of an affinity mask. Linux only.
CoreLimits read_core_limits(const HostFiles& files, const std::vector<int>& logical);

/// Restores the affinity mask of the first core_limits() call for processes that this thread starts.
class InitialAffinity {
 public:
  InitialAffinity();
  ~InitialAffinity();
  InitialAffinity(const InitialAffinity&) = delete;
  InitialAffinity& operator=(const InitialAffinity&) = delete;

 private:
  std::vector<int> bound_;  // Mask to restore; empty if unchanged.
};

/// Returns the affinity mask of this process, such as "0-3,8"; empty on systems without affinity.
std::string usable_cores();

/// Counts the usable NVIDIA GPUs from the driver's files and CUDA_VISIBLE_DEVICES, without a driver call.
std::int64_t visible_nvidia_gpus();

/// Makes glibc keep freed memory, so that large tensors do not repeat their page faults. Call before LibTorch
/// is loaded. Idempotent and permanent.
void tune_allocator();

/// Returns "tuned" if large blocks come from kept memory, else "system". Detected with a test allocation.
std::string allocator_name();

/// Limits an OpenBLAS with its own thread pool to one thread, since the pool would compete with OpenMP. Call
/// after LibTorch is loaded. Idempotent. Returns a note, or an empty string if nothing changed.
std::string limit_openblas_threads();

/// Describes a fault in PYTORCH_ALLOC_CONF or its older names, which would abort LibTorch; empty if valid.
std::string allocator_variable_flaw();

/// Returns the environment variables that affect threads, sorted: "OMP_PLACES=cores, OMP_PROC_BIND=close".
std::string thread_variables();

/// Sets OpenMP's wait policy for this process and those that it starts, unless the user has set it: threads
/// spin longer if other processes use less than half a core, which takes 30 ms to find out. Call before
/// LibTorch is loaded.
void choose_wait_policy();

/// Returns "OMP_WAIT_POLICY=passive" or "GOMP_SPINCOUNT=1000"; "default" if unset.
std::string wait_policy();

bool spins_while_waiting();

/// Limits of the loaded OpenMP library; unlimited if no library is loaded.
struct OpenMpLimits {
  std::int64_t threads;     ///< Maximum number of threads (OMP_THREAD_LIMIT).
  std::int64_t cores = 0;   ///< Logical cores to which threads are bound; 0 if they are not bound.
  bool is_dynamic = false;  ///< True if OpenMP may use fewer threads than requested (OMP_DYNAMIC).
};

OpenMpLimits openmp_limits();

/// Returns the memory available to this process within its cgroup, including reclaimable file cache.
Measured<Bytes> available_memory(const HostFiles& files = HostFiles());

/// Returns the total size of the last-level caches of all sockets.
Measured<Bytes> last_level_cache(const HostFiles& files = HostFiles());

/// Counters and settings of the operating system. Only differences of counters have a meaning.
struct HostState {
  Seconds at;                ///< Time of the reading, by a clock that stops while the machine sleeps.
  Measured<Seconds> asleep;  ///< Total time in which the machine was suspended.
  std::int64_t cores = 0;    ///< Logical cores behind `busy` and `stolen`; 0 if these are missing.
  Measured<Seconds> busy;    ///< CPU time of all processes and the kernel, summed over all cores.
  Measured<Seconds> stolen;  ///< CPU time that the hypervisor took from cores with work, over all cores.
  Measured<std::int64_t> out_of_memory_kills;  ///< Kills in this process's cgroup, else in the machine.
  Measured<std::int64_t> throttle_events;      ///< Number of thermal slowdowns, summed over logical cores.
  Measured<std::int64_t> quota_stops;  ///< Number of times a CPU quota stopped this process's cgroups.
  Measured<Seconds> quota_stopped;     ///< Time for which a CPU quota stopped them, over all cores.
  Measured<Seconds> core_wait;  ///< Time in which this process's threads were ready to run but had no core.
  Measured<std::string> governor;  ///< CPU frequency governors, such as "performance, powersave" if mixed.
  Measured<bool> is_on_battery;
  Measured<bool> is_saving_power;          ///< True in a low-power or quiet mode that the user selected.
  Measured<std::string> thermal_pressure;  ///< "nominal", "moderate", "heavy", "trapping" or "sleeping".
};

/// Prevents sleep on macOS while the result exists. Returns null on other systems.
std::shared_ptr<void> keep_awake();

/// Returns the number of cores of an integrated GPU, which differs between chips of one model.
Measured<std::int64_t> integrated_gpu_cores();

/// Reads the state in at most a few milliseconds. Failed readings are missing, not errors.
HostState read_host_state(const HostFiles& files = HostFiles());

/// Returns warnings about disturbances between two states. `own_cpu` is gpubench's CPU time.
std::vector<Warning> host_warnings(const HostState& before, const HostState& after, Seconds own_cpu);

/// Returns a warning with the likely cause if the threads, which wait for each other, often had no core.
/// `spins`: they spin while waiting.
std::vector<Warning> core_wait_warnings(const HostState& before, const HostState& after, Seconds own_cpu,
                                        std::int64_t threads, bool spins);

}  // namespace gpubench
