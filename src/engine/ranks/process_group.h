#pragma once
// Rank and group size by the variables of launchers, and connections between the supervisors of ranks.

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

  /// Returns true if ranks end with their launcher; a shell that sets variables by hand may end first.
  bool has_launcher() const { return launcher != "env" && launcher != "gpubench"; }
  bool is_on_one_machine() const { return local_ranks == ranks; }
};

/// Returns the launch by environment variables, if it has several processes. RANK precedes Open MPI, Hydra
/// and Slurm, in this order. Throws a usage Error for contradictions or a missing host of rank 0.
std::optional<Launch> read_launch();

/// Returns the first host of a list of Slurm: "a01" of "a[01-03,7],b".
std::string first_host(const std::string& list);

/// Variables that gpubench sets for the ranks that it starts.
inline constexpr const char* kSocketVariable = "GPUBENCH_RANK_SOCKET";
inline constexpr const char* kJobVariable = "GPUBENCH_JOB";

/// Lines between two supervisors. Used by one thread. Closes if the peer does not answer for ten seconds.
class Channel {
 public:
  /// Takes over a connected socket.
  explicit Channel(FileDescriptor socket);

  int descriptor() const { return socket_.get(); }
  /// False once the connection is closed; lines received before may still be read.
  bool is_open() const { return socket_.is_open(); }
  void close() { socket_.reset(); }

  /// Returns the address of this end; empty for a connection without network.
  std::string own_address() const;

  /// Sends a line; closes the connection if the peer does not read for half a minute.
  void send(const std::string& line);

  /// Returns the next whole line that has been received. Does not wait.
  std::optional<std::string> next();
  /// Waits for a line until `deadline`, or until the connection is closed.
  std::optional<std::string> next(const Deadline& deadline);

 private:
  FileDescriptor socket_;
  LineBuffer lines_;
};

/// Returns a listening socket (close-on-exec). Port 0 becomes a free one. Throws a usage Error if taken.
FileDescriptor listen_at(int& port, bool is_local);

/// Returns the next connection; a closed descriptor after `deadline`.
FileDescriptor accept_from(const FileDescriptor& listener, const Deadline& deadline);

/// Tries to connect until `deadline`, then throws a usage Error.
FileDescriptor connect_to(const std::string& host, int port, const Deadline& deadline);

struct SocketPair {
  FileDescriptor own;
  FileDescriptor other;
};
SocketPair connected_pair();

void wait_for_any(const std::vector<int>& descriptors, const Deadline& deadline);

/// "rank 2 (node-b)".
std::string rank_name(std::int64_t rank, const std::string& host);

struct PeerRank {
  HelloMessage hello{};
  Channel channel;

  std::string name() const { return rank_name(hello.rank, hello.host); }
};

struct ProcessGroupOptions {
  Launch launch;      ///< Of rank 0.
  HelloMessage own;   ///< Of rank 0.
  Deadline deadline;  ///< All ranks have to connect before.
};

/// All ranks; rank 0 is this process. Used by one thread. The destructor ends the other ranks.
class ProcessGroup {
 public:
  /// Waits for all other ranks. Throws a usage Error naming a missing rank or one of another version.
  ProcessGroup(const ProcessGroupOptions& options, std::vector<FileDescriptor> sockets);
  ~ProcessGroup();

  std::int64_t size() const { return 1 + static_cast<std::int64_t>(peers_.size()); }
  const Launch& launch() const { return options_.launch; }
  const std::string& own_host() const { return options_.own.host; }

  /// Returns the intra-op threads of each rank: its cores, divided by the ranks that share them.
  int threads_per_rank() const;

  /// Sends the plan and waits for all ranks; returns their records in order. `own` is rank 0's environment.
  /// Throws a usage Error naming a rank that fails or differs in LibTorch or data.
  std::vector<RankRecord> prepare(const PlanMessage& plan, const Environment& own);

  /// Returns the first `ranks`, without rank 0.
  std::span<PeerRank> peers(std::int64_t ranks) {
    return std::span(peers_).first(static_cast<std::size_t>(ranks - 1));
  }

  /// Returns rank 0's context of a new group of the first `ranks`. Its listener is open until the next call.
  RankContext next_context(std::int64_t ranks);

  std::int64_t ranks_on(const std::string& host, std::int64_t ranks) const;

  /// Returns the name of a rank of the first `ranks` whose connection is lost; empty if all are connected.
  std::string lost_rank(std::int64_t ranks);

  /// Ends all other ranks; `why` is empty after success.
  void end(const std::string& why) noexcept;

 private:
  void admit(FileDescriptor socket);

  ProcessGroupOptions options_;
  std::vector<PeerRank> peers_;  // By rank; rank 1 is the first.
  FileDescriptor listener_;      // Of the last context.
  std::int64_t contexts_ = 0;
  bool is_ended_ = false;
};

/// Returns the environment of this rank, with itself alone in `ranks`.
Environment rank_environment(Environment environment, int threads, const Launch& launch);

/// Returns a warning for each difference of a rank from rank 0.
std::vector<Warning> unlike_ranks(const std::vector<RankRecord>& ranks);

/// Removes the energy of unused GPUs. The `ranks` of a machine use `device` and the ones after it.
void remove_idle_gpus(std::vector<EnergyRecord>& energy, const std::string& device, std::int64_t ranks);

/// Runs the other ranks of each row of several beside it, and adds their energy and warnings to that of rank
/// 0. A failed rank sets the status. `timeout` is that of a row. `group` outlives the observer.
std::unique_ptr<Observer> make_rank_observer(ProcessGroup& group, std::vector<Warning> warnings,
                                             std::optional<Seconds> timeout);

}  // namespace gpubench
