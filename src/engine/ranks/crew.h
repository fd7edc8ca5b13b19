#pragma once
// The supervisors of all ranks, as that of rank 0 sees them.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/ranks/channel.h"
#include "engine/ranks/launch.h"
#include "engine/ranks/rank_messages.h"

namespace gpubench {

/// The supervisor of one other rank.
struct CrewMember {
  std::int64_t rank = 0;
  std::string host{};
  Channel channel;
  HelloMessage hello{};
  std::string address{};  ///< On its way to rank 0, once it is ready.

  /// "rank 2 (node-b)".
  std::string name() const { return name_of_rank(rank, host); }
  static std::string name_of_rank(std::int64_t rank, const std::string& host);
};

/// How a crew comes together.
struct CrewOptions {
  Launch launch;      ///< That of rank 0.
  HelloMessage own;   ///< What rank 0 would say; what of the others differs is refused.
  Deadline deadline;  ///< By then all have come.
};

/// All ranks from 0 on; rank 0 is this process. Used by one thread. Its end ends the others, who are told why
/// where end() was not called.
class Crew {
 public:
  /// Waits for all other ranks, who connect or have been started with a socket each. Throws a usage Error
  /// that names the rank which did not come, or came from another job, with another command line or of
  /// another version.
  Crew(const CrewOptions& options, std::vector<FileDescriptor> sockets);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  std::int64_t size() const { return 1 + static_cast<std::int64_t>(members_.size()); }
  const Launch& launch() const { return options_.launch; }
  const std::string& own_host() const { return options_.own.host; }

  /// Intra-op threads that each rank gets: its cores, shared with those who may use the same ones.
  int threads_per_rank() const;

  /// Tells all what is to be run, and waits until they are ready. Throws a usage Error that names the rank
  /// which cannot, or whose LibTorch or data is not `own`'s. Returns the records of all ranks in their order.
  std::vector<RankRecord> prepare(const PlanMessage& plan, const ReadyMessage& own);

  /// Those of the first `ranks`, without rank 0.
  std::span<CrewMember> members(std::int64_t ranks);

  /// The address of rank 0 by which that member reaches it; by which others do, for rank 0 itself (nullptr).
  std::string address_for(const CrewMember* member, std::int64_t ranks);

  /// How many of the first `ranks` run on that machine.
  std::int64_t ranks_on(const std::string& host, std::int64_t ranks) const;

  /// Who of the first `ranks` is gone: the name; empty where nobody is.
  std::string gone(std::int64_t ranks);

  /// Whom the words of a rank that lost another one are about, by an address in them, as "; [10.0.0.3] is
  /// rank 2 (node-c)"; empty where that cannot be told.
  std::string owner_of_address_in(const std::string& words) const;

  /// Nothing more comes; `why` is empty where all went well.
  void end(const std::string& why) noexcept;

 private:
  void take(FileDescriptor socket);
  void admit(Channel channel, const HelloMessage& hello);
  void check(const HelloMessage& hello) const;
  void gather(std::vector<FileDescriptor> sockets);
  ReadyMessage await_ready(CrewMember& member, const Deadline& deadline) const;

  CrewOptions options_;
  std::vector<CrewMember> members_;  // By rank; rank 1 is the first.
  bool is_ended_ = false;
};

/// The first difference between two command lines that matters, as "--model mlp instead of cnn"; empty where
/// there is none. Folders and what is printed may differ.
std::string difference_of(const std::vector<std::string>& one, const std::vector<std::string>& other);

}  // namespace gpubench
