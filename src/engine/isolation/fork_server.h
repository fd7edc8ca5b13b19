#pragma once
// Workers as copies of a process that has loaded the engine: its own side, and what a supervising process and
// it say to each other over a socket. forked_workers() in worker_source.h has the other side.

#include <sys/types.h>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "engine/api/engine.h"
#include "engine/isolation/worker_source.h"
#include "gpubench/core/io/files.h"

namespace gpubench {

/// The part of a process that is copied for each worker: loads the engine, then makes a copy for each request
/// that comes over `socket`. Returns true in each copy, whose descriptors are those of a worker, and false in
/// the process itself once nobody asks any more.
bool serve_forks(const std::function<const Engine&()>& load_engine, int socket);

/// Descriptors that arrived, with the numbers that they are to have.
using Arrivals = std::vector<std::pair<FileDescriptor, int>>;

/// Asks for a copy. False where the other side is gone.
bool send_request(int socket, const Placements& placements);

/// Waits for a request; nothing once the other side is gone, or for what is no request.
std::optional<Arrivals> receive_request(int socket);

/// Answers a request with the process that was made, or 0 where none can be.
void send_process(int socket, pid_t process);

/// Waits for that answer for at most so long; 0 also where none comes.
pid_t receive_process(int socket, int milliseconds);

}  // namespace gpubench
