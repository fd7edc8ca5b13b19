#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "app/train_options.h"
#include "engine/machine/facts.h"
#include "engine/ranks/process_group.h"
#include "gpubench/core/error.h"

namespace gpubench {

/// The ranks that this process has started. The destructor waits for their end, and kills them after a while.
class OwnRanks {
 public:
  /// Starts ranks 1 to `launch.ranks` - 1 on this machine, with this command line.
  OwnRanks(const std::vector<std::string>& arguments, const Launch& launch);
  ~OwnRanks();
  OwnRanks(const OwnRanks&) = delete;
  OwnRanks& operator=(const OwnRanks&) = delete;

  /// Returns the connections to them, once.
  std::vector<FileDescriptor> sockets() { return std::move(sockets_); }

 private:
  std::vector<pid_t> processes_;
  std::vector<FileDescriptor> sockets_;
};

struct LaunchedGroup {
  std::unique_ptr<OwnRanks> own;        ///< Null if a launcher started the others. Ends after `group`.
  std::unique_ptr<ProcessGroup> group;  ///< Null for a single rank.
};

/// Connects the ranks that a launcher has started, or starts `most` on this machine. Throws usage Errors.
LaunchedGroup launch_group(std::int64_t most, const RunOptions& options);

/// Returns the ranks that a launcher has started; 1 without a launcher.
std::int64_t launched_ranks();

/// Returns the ranks that a launcher has started, else one per GPU, or on the CPU one per core.
std::int64_t most_ranks_for(const std::vector<std::string>& devices);

/// Lets OpenMP threads of later workers sleep while they wait: spinning takes time from other ranks.
void wait_without_spinning();

/// Returns the time to wait for other ranks: --timeout, or a minute.
inline Seconds join_timeout(const RunOptions& options) { return options.timeout.value_or(Seconds{60}); }

HelloMessage make_hello(const Launch& launch);

/// Returns the environment of this rank, with itself alone in `ranks`.
Environment rank_environment(const EngineFacts& facts, const std::vector<DatasetRecord>& data, int threads,
                             const Launch& launch);

/// Returns a warning for each difference of a rank from rank 0.
std::vector<Warning> unlike_ranks(const std::vector<RankRecord>& ranks);

bool is_peer_rank();

/// Runs what rank 0 asks for until rank 0 ends.
ExitCode run_peer_rank(const TrainOptions& options, const std::vector<std::string>& arguments);

}  // namespace gpubench
