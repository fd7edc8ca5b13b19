#pragma once
// Connections of rank 0's supervisor to the supervisors of all other ranks.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/isolation/messages.h"
#include "engine/ranks/channel.h"
#include "engine/ranks/launch.h"

namespace gpubench {

/// "rank 2 (node-b)".
std::string rank_name(std::int64_t rank, const std::string& host);

/// The supervisor of another rank.
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
  /// Waits for all other ranks, which connect, or have been started with one of `sockets` each. Throws a
  /// usage Error that names a rank that did not connect or has another version.
  ProcessGroup(const ProcessGroupOptions& options, std::vector<FileDescriptor> sockets);
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  std::int64_t size() const { return 1 + static_cast<std::int64_t>(peers_.size()); }
  const Launch& launch() const { return options_.launch; }
  const std::string& own_host() const { return options_.own.host; }

  /// Returns the intra-op threads of each rank: its cores, divided by the ranks that share them.
  int threads_per_rank() const;

  /// Sends the plan and waits until all ranks are ready. `own` is rank 0's environment, with itself in
  /// `ranks`. Throws a usage Error that names a rank that fails, or has another LibTorch or other data.
  /// Returns the records of all ranks in their order.
  std::vector<RankRecord> prepare(const PlanMessage& plan, const Environment& own);

  /// Returns the first `ranks`, without rank 0.
  std::span<PeerRank> peers(std::int64_t ranks) {
    return std::span(peers_).first(static_cast<std::size_t>(ranks - 1));
  }

  /// Returns rank 0's context of a new group of the first `ranks`. Its listener is open until the next call.
  RankContext next_context(std::int64_t ranks);

  /// Returns how many of the first `ranks` run on that host.
  std::int64_t ranks_on(const std::string& host, std::int64_t ranks) const;

  /// Returns the name of a rank of the first `ranks` whose connection is lost; empty if all are connected.
  std::string lost_rank(std::int64_t ranks);

  /// Ends all other ranks; `why` is empty after success.
  void end(const std::string& why) noexcept;

 private:
  void take(FileDescriptor socket);
  void admit(Channel channel, const HelloMessage& hello);
  void gather(std::vector<FileDescriptor> sockets);

  ProcessGroupOptions options_;
  std::vector<PeerRank> peers_;  // By rank; rank 1 is the first.
  FileDescriptor listener_;      // Of the last context.
  std::int64_t contexts_ = 0;
  bool is_ended_ = false;
};

}  // namespace gpubench
