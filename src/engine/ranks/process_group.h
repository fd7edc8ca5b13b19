#pragma once
// Launcher detection, and connections between the supervisors of ranks.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/execution/executor.h"
#include "engine/isolation/child_process.h"
#include "engine/isolation/messages.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/io/files.h"

namespace gpubench {

/// Position of this process in a launch, from the launcher's environment variables.
struct Launch {
  std::string launcher;  ///< "gpubench", "torchrun", "env" (RANK etc.), "openmpi", "hydra" or "slurm".
  std::int64_t rank = 0;
  std::int64_t ranks = 1;
  std::int64_t local_rank = 0;   ///< Rank among the ranks of this machine.
  std::int64_t local_ranks = 1;  ///< Number of ranks on this machine.
  std::string host;              ///< Host of rank 0.
  int port = 0;                  ///< Port on which rank 0 listens.
  std::string job;               ///< Id of the launch. Two launches rarely share one.
  int socket = -1;               ///< Connection to rank 0, if rank 0 started this process; else -1.

  /// Returns true if a launcher process controls the ranks. Variables set by hand in a shell have none.
  bool has_launcher() const { return launcher != "env" && launcher != "gpubench"; }
  bool is_on_one_machine() const { return local_ranks == ranks; }
};

/// Reads the launch from environment variables; nullopt for a single process. RANK takes precedence over the
/// variables of Open MPI, Hydra and Slurm, in this order. Throws a usage Error for contradictory variables or
/// an unknown host of rank 0.
std::optional<Launch> read_launch();

/// Returns the first host of a Slurm host list: "a01" for "a[01-03,7],b".
std::string first_host(const std::string& list);

/// Environment variables that gpubench sets for the ranks that it starts.
inline constexpr const char* kSocketVariable = "GPUBENCH_RANK_SOCKET";
inline constexpr const char* kJobVariable = "GPUBENCH_JOB";

/// Line-based connection of two supervisors. Closes if the peer is unreachable for 10 s. Not thread-safe.
class Channel {
 public:
  /// Takes ownership of a connected socket.
  explicit Channel(FileDescriptor socket);

  int descriptor() const { return socket_.get(); }
  /// Returns false if the connection is closed. Lines received before can still be read.
  bool is_open() const { return socket_.is_open(); }
  void close() { socket_.reset(); }

  /// Returns the address of this end; empty for a socket pair.
  std::string own_address() const;

  /// Sends a line. Closes the connection if the peer does not read it within 30 s.
  void send(const std::string& line);

  /// Returns the next received line, if any. Does not wait.
  std::optional<std::string> next();
  /// Waits for a line until `deadline` or the end of the connection.
  std::optional<std::string> next(const Deadline& deadline);

 private:
  FileDescriptor socket_;
  LineBuffer lines_;
};

/// Opens a listening socket. Replaces port 0 by a free port. Throws a usage Error if the port is in use.
FileDescriptor listen_at(int& port, bool is_local);

/// Waits for a connection. Returns a closed descriptor after `deadline`.
FileDescriptor accept_from(const FileDescriptor& listener, const Deadline& deadline);

/// Retries until `deadline`, then throws a usage Error.
FileDescriptor connect_to(const std::string& host, int port, const Deadline& deadline);

struct SocketPair {
  FileDescriptor own;
  FileDescriptor other;
};
SocketPair connected_pair();

/// Formats a rank as "rank 2 (node-b)".
std::string rank_name(std::int64_t rank, const std::string& host);

struct PeerRank {
  HelloMessage hello{};
  Channel channel;

  std::string name() const { return rank_name(hello.rank, hello.host); }
};

struct ProcessGroupOptions {
  Launch launch;      ///< Launch of rank 0.
  HelloMessage own;   ///< Facts of rank 0.
  Deadline deadline;  ///< Time limit for all ranks to connect.
};

/// Connections of rank 0, this process, to all other ranks. The destructor ends them. Not thread-safe.
class ProcessGroup {
 public:
  /// Waits for all other ranks. Throws a usage Error for a missing rank or another version.
  ProcessGroup(const ProcessGroupOptions& options, std::vector<FileDescriptor> sockets);
  ~ProcessGroup();

  std::int64_t size() const { return 1 + static_cast<std::int64_t>(peers_.size()); }
  const Launch& launch() const { return options_.launch; }
  const std::string& own_host() const { return options_.own.host; }

  /// Returns the intra-op threads per rank: its cores divided by the number of ranks that share them.
  int threads_per_rank() const;

  /// Sends the plan and waits for all ranks. Returns their records in order. `own` is rank 0's environment.
  /// Throws a usage Error that names a rank that fails or has another LibTorch or other data.
  std::vector<RankRecord> prepare(const PlanMessage& plan, const Environment& own);

  /// Returns the first `ranks` ranks, except rank 0.
  std::span<PeerRank> peers(std::int64_t ranks) {
    return std::span(peers_).first(static_cast<std::size_t>(ranks - 1));
  }

  /// Returns rank 0's context for a new group of the first `ranks` ranks. The listener stays open until the
  /// next call.
  RankContext next_context(std::int64_t ranks);

  std::int64_t ranks_on(const std::string& host, std::int64_t ranks) const;

  /// Returns the name of a disconnected rank among the first `ranks`; empty if all are connected.
  std::string lost_rank(std::int64_t ranks);

  /// Ends all other ranks. `why` is empty after success.
  void end(const std::string& why) noexcept;

 private:
  void admit(FileDescriptor socket);

  ProcessGroupOptions options_;
  std::vector<PeerRank> peers_;  // In order, starting with rank 1.
  FileDescriptor listener_;      // Listener of the last context.
  std::int64_t contexts_ = 0;
  bool is_ended_ = false;
};

/// Returns `environment` with only this rank in `ranks`.
Environment rank_environment(Environment environment, int threads, const Launch& launch);

/// Returns a warning for each difference of a rank from rank 0.
std::vector<Warning> unlike_ranks(const std::vector<RankRecord>& ranks);

/// Removes the energy of unused GPUs: the `ranks` ranks of a machine use `device` and the devices after it.
void remove_idle_gpus(std::vector<EnergyRecord>& energy, const std::string& device, std::int64_t ranks);

/// Runs the other ranks of each multi-rank row in parallel, and adds their energy and warnings to rank 0's
/// row. A failed rank sets its status. `timeout` is the time limit of a row. `group` outlives the observer.
std::unique_ptr<Observer> make_rank_observer(ProcessGroup& group, std::vector<Warning> warnings,
                                             std::optional<Seconds> timeout);

}  // namespace gpubench
