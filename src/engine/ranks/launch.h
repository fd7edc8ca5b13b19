#pragma once
// Rank and group size of this process, from the environment variables that torchrun, Open MPI, Hydra, srun
// and gpubench itself set.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace gpubench {

/// Returns the value of an environment variable, if it is set.
using Variables = std::function<std::optional<std::string>(const std::string& name)>;

/// Reads the environment of this process.
Variables own_variables();

/// Place of this process among those that were started together.
struct Launch {
  std::string launcher;  ///< "gpubench", "torchrun", "env" (RANK and the like), "openmpi", "hydra", "slurm".
  std::int64_t rank = 0;
  std::int64_t ranks = 1;
  std::int64_t local_rank = 0;   ///< On this machine.
  std::int64_t local_ranks = 1;  ///< On this machine.
  std::string host;              ///< Host of rank 0.
  int port = 0;                  ///< Port on which rank 0 listens.
  std::string job;               ///< Equal for all processes of a launch, rarely for those of two launches.
  int socket = -1;               ///< Connection to rank 0, if rank 0 started this process; else -1.

  /// Whether ranks end with the process that started them. A shell that sets variables by hand may end first.
  bool has_launcher() const { return launcher != "env" && launcher != "gpubench"; }
  bool is_on_one_machine() const { return local_ranks == ranks; }
};

/// Returns the launch, if there is one of several processes. RANK takes precedence over the variables of Open
/// MPI, Hydra and Slurm, in this order. Throws a usage Error for variables that contradict each other, or do
/// not name the host of rank 0.
std::optional<Launch> read_launch(const Variables& variables);

/// Returns the first host of a list of Slurm: "a01" of "a[01-03,7],b".
std::string first_host(const std::string& list);

/// Variables that gpubench sets for the ranks that it starts.
inline constexpr const char* kSocketVariable = "GPUBENCH_RANK_SOCKET";
inline constexpr const char* kJobVariable = "GPUBENCH_JOB";

}  // namespace gpubench
