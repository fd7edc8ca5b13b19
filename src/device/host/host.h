#pragma once
// The machine that a case runs on: facts about it, and what happened on it meanwhile. No LibTorch here or
// below, so that a process that only watches others can use it. docs/environment.md tells the sources.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/warning.h"

namespace gpubench {

struct Environment;  // record/environment.h

/// The host's name, for result files.
std::string host_name();

/// Name, release and machine of the running kernel.
std::string kernel_name();

/// Host, system, kernel, processor, physical cores and memory: what only the operating system knows. One
/// source a platform: linux_host.cpp, apple.cpp.
Environment read_host();

/// Cores that this process may use.
struct CoreLimits {
  double available = 1;  ///< Those that affinity and the cgroup quota leave; fractional where the quota is.
  std::int64_t physical = 1;  ///< Cores in the affinity mask; hyperthreads of one core count once.

  /// Threads that find a core each: `physical`, but no more than the whole cores of `available`.
  std::int64_t threads() const;
};

/// Returns the limits as they are at the first call, which has to come before LibTorch is loaded: with
/// OMP_PROC_BIND and the like, OpenMP then binds the first thread, and its affinity mask no longer says what
/// the process may use.
const CoreLimits& core_limits();

/// While it lives, processes that this thread starts have the affinity mask that it had at the first call of
/// core_limits(), whatever OpenMP has bound it to since.
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

/// NVIDIA's GPUs that this process may use, by the driver's files and CUDA_VISIBLE_DEVICES, without a call
/// into the driver; 0 where there is none.
std::int64_t visible_nvidia_gpus();

/// Makes glibc keep freed memory instead of handing it back at every step, where each large tensor would pay
/// its page faults again. Call before LibTorch is loaded; more calls do no harm, and nothing undoes it. Does
/// nothing with other C libraries.
void tune_allocator();

/// Whether large blocks come out of memory that is kept, "tuned", or not, "system", for the result file.
/// Found by trying, so it is true whoever set it, and where another malloc was preloaded.
std::string allocator_name();

/// Leaves one thread to an OpenBLAS that starts its own: these and LibTorch's would fight for the cores,
/// which makes both several times slower. Call after LibTorch is loaded; more calls do no harm. Returns a
/// sentence about what was done; empty where there was nothing to do.
std::string cure_blas_clash();

/// Says what is wrong with an environment variable that LibTorch's allocators read (PYTORCH_ALLOC_CONF and
/// its older names); empty if nothing is. LibTorch answers a fault there with an internal assertion.
std::string allocator_variable_flaw();

/// Memory that this process may still take before something is killed: what the machine has left, or less
/// where a cgroup limits it. Memory that the kernel can take back from its file cache counts as left.
Measured<Bytes> available_memory();

/// Size of the caches next to main memory, those of all sockets together.
Measured<Bytes> last_level_cache();

/// What the operating system has counted up to a moment, and how things stand then. Counts start at some
/// point in the past, mostly at boot: only their growth means something. A reading is absent if the platform
/// lacks it.
struct HostState {
  Seconds at;                ///< On a steady clock that stands still while the machine sleeps.
  Measured<Seconds> asleep;  ///< Time that the machine was suspended.
  std::int64_t cores = 0;    ///< Logical cores that `busy` and `stolen` cover; 0 where they are absent.
  Measured<Seconds> busy;    ///< CPU time that all processes and the kernel took on all cores together.
  Measured<Seconds> stolen;  ///< Time in which cores had work, but the hypervisor ran something else.
  Measured<std::int64_t> out_of_memory_kills;  ///< Of this process's cgroup, or else of the machine.
  Measured<std::int64_t> throttle_events;      ///< How often a core or package slowed down for heat.
  Measured<std::int64_t> quota_stops;          ///< How often a CPU quota stopped this process's cgroups.
  Measured<Seconds> quota_stopped;             ///< For how long, on all cores together.
  Measured<Seconds> core_wait;  ///< Time in which threads of this process were ready to run without a core.
  Measured<std::string> governor;  ///< Of the CPU's frequency; "performance, powersave" where mixed.
  Measured<bool> is_on_battery;
  Measured<bool> is_saving_power;  ///< The user has asked for long battery life or silence instead of speed.
  Measured<std::string> thermal_pressure;  ///< "nominal", "moderate", "heavy", "trapping" or "sleeping".
};

/// Keeps the machine from going to sleep by itself for as long as what it returns lives, where the system
/// lets programs ask for that: on macOS, for which no key was pressed while it measures. Empty elsewhere.
std::shared_ptr<void> keep_awake();

/// Cores of the GPU that is a part of the processor, of which one model has several sizes. Missing where the
/// system does not tell.
Measured<std::int64_t> integrated_gpu_cores();

/// How things stand now. Takes a few milliseconds at most, and never throws for what cannot be read.
HostState read_host_state();

/// What happened between two states that may have disturbed a measurement, in a fixed order; none where a
/// reading is absent. `own_cpu` is the CPU time that gpubench's own processes took between them.
std::vector<Warning> host_warnings(const HostState& before, const HostState& after, Seconds own_cpu);

/// Warns where the threads of this process, `threads` that wait for each other, lacked a core for a large
/// part of the time between two of its states, and names the cause. `spins` says whether they spin while they
/// wait.
std::vector<Warning> core_wait_warnings(const HostState& before, const HostState& after, Seconds own_cpu,
                                        std::int64_t threads, bool spins);

}  // namespace gpubench
