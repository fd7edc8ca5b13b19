#pragma once
// A run of several processes: how they come together.

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/train_options.h"
#include "engine/machine/facts.h"
#include "engine/ranks/crew.h"

namespace gpubench {

/// The processes that this one has started as its other ranks. The destructor waits for their end, and ends
/// who takes long.
class OwnRanks {
 public:
  /// Starts ranks 1 to `ranks` - 1 on this machine, with the same command line.
  OwnRanks(const std::vector<std::string>& arguments, const Launch& launch);
  ~OwnRanks();
  OwnRanks(const OwnRanks&) = delete;
  OwnRanks& operator=(const OwnRanks&) = delete;

  /// To each of them, to be taken.
  std::vector<FileDescriptor> sockets() { return std::move(sockets_); }

 private:
  void start(std::int64_t rank, const std::vector<std::string>& arguments, const Launch& launch);

  std::vector<pid_t> processes_;
  std::vector<FileDescriptor> sockets_;
};

/// A crew, and whom this process has started for it.
struct CrewOnDuty {
  std::unique_ptr<OwnRanks> own;  ///< Null where a launcher started the others. Ends after the crew.
  std::unique_ptr<Crew> crew;
};

/// The other ranks of a plan whose cases have `most` ranks at most: those that a launcher has started with
/// this process, or as many on this machine. Empty for a single one. Throws usage Errors.
CrewOnDuty call_crew(std::int64_t most, const RunOptions& options);

/// The largest number of ranks that a launcher has started, this one included; 1 without a launcher.
std::int64_t launched_ranks();

/// How many ranks there can be: those that a launcher has started, or one a GPU, or, on the CPU, one a core.
std::int64_t most_ranks_for(const std::vector<std::string>& devices);

// Of every rank.

/// By then all ranks have come.
Deadline join_deadline(const RunOptions& options);

/// Ranks that share cores must not spin while they wait: that takes the time of those they wait for. To be
/// called before any worker is started.
void wait_without_spinning();

/// What this rank says of itself, with the command line as it was typed.
HelloMessage hello_of(const Launch& launch, const std::vector<std::string>& arguments);

/// What this rank has for the plan.
ReadyMessage own_readiness(const EngineFacts& facts, const std::vector<DatasetRecord>& data, int threads,
                           const Launch& launch);

/// What may make ranks unlike: a warning for each that differs from rank 0.
std::vector<Warning> unlike_ranks(const std::vector<RankRecord>& ranks);

}  // namespace gpubench
