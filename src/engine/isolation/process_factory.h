#pragma once
// Sources of worker processes: each executes its program, or is a copy of a process that has loaded the
// engine. Also the protocol between that process and its supervisor, and what all child processes share.

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpubench/core/clock.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"

namespace gpubench {

/// First descriptor without a meaning of its own in a child process.
inline constexpr int kFirstFreeDescriptor = 10;

/// Takes over `descriptor` and moves it to kFirstFreeDescriptor or above, with close-on-exec. Closed if that
/// fails, with errno set.
FileDescriptor moved_up(int descriptor);

/// Collects text and hands out its lines.
struct LineBuffer {
  std::string text{};
  std::size_t searched = 0;  ///< No line ends before.

  /// Removes and returns the first whole line.
  std::optional<std::string> next();
};

/// Descriptors of this process, each with its number in another process: the same, or at most 3.
using Placements = std::vector<std::pair<int, int>>;

/// Starts a worker, a process that answers requests (see serve() in worker.h): a new child of this process in
/// a group of its own, with these descriptors. Returns 0 if the caller must try again with other descriptors,
/// because another process may still hold these. Waits until `deadline` at most. Throws a usage Error if none
/// can be started. Used by one thread.
using ProcessFactory = std::function<pid_t(const Placements& placements, const Deadline& deadline)>;

/// Executes `command`, its program first, a path or a name on PATH, for each worker.
ProcessFactory executed_workers(std::vector<std::string> command);

/// Lets one process, `command` with "--fork-server" added, load the engine and copies it for each worker, see
/// serve_forks(). Falls back to executing `command` if the system cannot copy processes safely, or if that
/// process does not answer.
ProcessFactory forked_workers(std::vector<std::string> command);

/// The usage Error of a worker whose program cannot be executed.
struct UnstartableProgram : Error {
  using Error::Error;
};

/// Throws the usage Error of a worker for which a resource is missing.
[[noreturn]] void fail_to_start(const std::string& what, int error);

/// Serves in the process that is copied: loads the engine, then makes a copy for each request that comes over
/// `socket`. Returns true in each copy, whose descriptors are those of a worker, and false in the process
/// itself once the other end is closed.
bool serve_forks(const std::function<void()>& load_engine, int socket);

/// Asks for a copy. Returns false if the other end is closed.
bool send_request(int socket, const Placements& placements);

/// Waits for the copy that `server` makes, unless it is stopped; returns 0 if there is no answer.
pid_t receive_process(int socket, pid_t server, const Deadline& deadline);

/// Returns true if that child of this process was stopped (SIGSTOP).
bool is_stopped(pid_t child);

}  // namespace gpubench
