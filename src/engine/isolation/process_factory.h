#pragma once
// Where worker processes come from: each executes its program, or is a copy of a process that has loaded the
// engine. Such a process and the one that supervises talk over a socket; what they say is here too.

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

/// Descriptors of this process, each with the number that it has in another one: the same, or one up to 3.
using Placements = std::vector<std::pair<int, int>>;

/// Starts a worker, a process that answers requests (see serve() in worker.h): a new child of this process in
/// a group of its own, with these descriptors. 0 where it is to be asked once more with other descriptors,
/// since some process may have these that is no worker any more. Waits no longer than until `deadline`.
/// Throws a usage Error where none can be started. Used by one thread.
using ProcessFactory = std::function<pid_t(const Placements& placements, const Deadline& deadline)>;

/// Executes `command`, its program first, a path or a name on PATH, for each worker.
ProcessFactory executed_workers(std::vector<std::string> command);

/// Lets one process load the engine, and copies it for each worker: that process is `command` with
/// "--fork-server" added, see serve_forks(). Executes `command` for each worker where the system cannot copy
/// processes safely, or where that process gives no answer.
ProcessFactory forked_workers(std::vector<std::string> command);

/// The usage Error of a worker whose program cannot be executed.
struct UnstartableProgram : Error {
  using Error::Error;
};

/// Throws the usage Error of a worker that lacks something of this process or the system.
[[noreturn]] void fail_to_start(const std::string& what, int error);

/// The part of a process that is copied for each worker: loads the engine, then makes a copy for each request
/// that comes over `socket`. Returns true in each copy, whose descriptors are those of a worker, and false in
/// the process itself once nobody asks any more.
bool serve_forks(const std::function<void()>& load_engine, int socket);

/// Descriptors that arrived, with the numbers that they are to have.
using Arrivals = std::vector<std::pair<FileDescriptor, int>>;

/// Asks for a copy. False where the other side is gone.
bool send_request(int socket, const Placements& placements);

/// Waits for a request; nothing once the other side is gone, or for what is no request.
std::optional<Arrivals> receive_request(int socket);

/// Answers a request with the process that was made, or 0 where none can be.
void send_process(int socket, pid_t process);

/// Waits for that answer of `server`, unless it is stopped; 0 also where none comes.
pid_t receive_process(int socket, pid_t server, const Deadline& deadline);

/// Whether somebody has stopped that child of this process (SIGSTOP).
bool is_stopped(pid_t child);

}  // namespace gpubench
