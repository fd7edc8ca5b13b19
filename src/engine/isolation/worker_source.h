#pragma once
// Where worker processes come from.

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gpubench {

/// Descriptors of this process, each with the number that it has in another one: the same, or one up to 3.
using Placements = std::vector<std::pair<int, int>>;

/// Starts workers: processes that answer requests (see serve() in worker.h), each in a group of its own. Used
/// by one thread.
class WorkerSource {
 public:
  virtual ~WorkerSource() = default;

  /// A new child of this process, with these descriptors. Throws an internal Error where it cannot be
  /// started.
  virtual pid_t start(const Placements& placements) = 0;
};

/// Executes `command`, its program first, for each worker.
std::unique_ptr<WorkerSource> executed_workers(std::vector<std::string> command);

/// Lets one process load the engine, and copies it for each worker: that process is `command` with
/// "--fork-server" added, see serve_forks(). Executes `command` for each worker where the system cannot copy
/// processes safely.
std::unique_ptr<WorkerSource> forked_workers(std::vector<std::string> command);

/// Starts `arguments[0]`, a path or a name on PATH, in a group of its own and with the signals as a program
/// expects them. No other descriptors are open in it but those that this process did not mark as its own.
/// Throws an internal Error where it cannot be started.
pid_t start_program(const std::vector<std::string>& arguments, const Placements& placements);

/// Throws the internal Error of a worker that cannot be started.
[[noreturn]] void fail_to_start(const std::string& what, int error);

}  // namespace gpubench
