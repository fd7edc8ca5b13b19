#pragma once
// Where worker processes come from.

#include <sys/types.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gpubench {

/// Descriptors of this process that become those of a worker.
struct WorkerEnds {
  int requests = -1;  ///< Its standard input.
  int replies = -1;   ///< Its descriptor 3.
  int noise = -1;     ///< Its standard output and error.
};

/// Starts workers: processes that answer requests (see serve() in worker.h), each in a group of its own. Used
/// by one thread.
class WorkerSource {
 public:
  virtual ~WorkerSource() = default;

  /// A new child of this process. The descriptors in `inherited`, which are above 3, are open in it under the
  /// same numbers. Throws an internal Error where it cannot be started.
  virtual pid_t start(const WorkerEnds& ends, const std::vector<int>& inherited) = 0;
};

/// Executes `command`, its program first, for each worker.
std::unique_ptr<WorkerSource> executed_workers(std::vector<std::string> command);

/// Lets one process load the engine, and copies it for each worker: that process is `command` with
/// "--fork-server" added, see serve_forks(). Executes `command` for each worker where the system cannot copy
/// processes safely.
std::unique_ptr<WorkerSource> forked_workers(std::vector<std::string> command);

/// Starts `arguments[0]`, a path or a name on PATH, in a group of its own and with the signals as a program
/// expects them. Each of `connections` is a descriptor of this process and its number in the child; those in
/// `inherited` keep theirs, and no others are open in it but those that this process did not mark as its own.
/// Throws an internal Error where it cannot be started.
pid_t start_program(const std::vector<std::string>& arguments,
                    const std::vector<std::pair<int, int>>& connections, const std::vector<int>& inherited);

/// Throws the internal Error of a worker that cannot be started.
[[noreturn]] void fail_to_start(const std::string& what, int error);

}  // namespace gpubench
