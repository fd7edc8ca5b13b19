#pragma once
// Who started this process, and which of how many it is: what torchrun, Open MPI, Hydra, srun and gpubench
// itself leave in the environment of each.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace gpubench {

/// The value of a variable of the environment; nothing where it is not set.
using Variables = std::function<std::optional<std::string>(const std::string& name)>;

/// Those of this process.
Variables own_variables();

/// This process among those that were started together.
struct Launch {
  std::string launcher;  ///< "gpubench", "torchrun", "env" (RANK and its like), "openmpi", "hydra", "slurm".
  std::int64_t rank = 0;
  std::int64_t ranks = 1;
  std::int64_t local_rank = 0;   ///< Among those of this machine.
  std::int64_t local_ranks = 1;  ///< Of this machine.
  std::string host;              ///< Where rank 0 is to be found;
  int port = 0;                  ///< there it listens.
  std::string job;               ///< The same for all of one start, and hardly ever for those of another.
  int socket = -1;               ///< To rank 0, where that started this process itself; else -1.

  /// Whether a process that ends before its ranks has left them alone; who sets variables by hand may well
  /// end.
  bool has_launcher() const { return launcher != "env" && launcher != "gpubench"; }
  bool is_on_one_machine() const { return local_ranks == ranks; }
};

/// What the variables say; nothing where no launcher speaks, or of a single process. RANK counts before what
/// Open MPI, Hydra and Slurm say, in this order. Throws a usage Error where they contradict themselves, or
/// say nothing of where rank 0 is.
std::optional<Launch> read_launch(const Variables& variables);

/// The first host of a list as Slurm writes it: "a[01-03,7],b" has "a01".
std::string first_host(const std::string& list);

/// Names of the variables by which gpubench tells processes that it starts.
inline constexpr const char* kSocketVariable = "GPUBENCH_RANK_SOCKET";
inline constexpr const char* kJobVariable = "GPUBENCH_JOB";

}  // namespace gpubench
