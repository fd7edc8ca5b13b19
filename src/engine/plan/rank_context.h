#pragma once
// Ranks: processes that train one case together. No LibTorch.

#include <cstdint>
#include <stdexcept>
#include <string>

#include "gpubench/core/units.h"

namespace gpubench {

struct RankContext {
  std::int64_t rank = 0;   ///< From 0.
  std::int64_t ranks = 1;  ///< Size of the group.
  std::string host;        ///< Name or address of rank 0's machine.
  int port = 0;            ///< Port there of the store in which ranks find each other.
  int listener = -1;       ///< Rank 0: listening socket that the store takes over; -1 on other ranks.
  std::string group_id;    ///< Equal for the ranks of this group, and for no others.
  Seconds timeout{600};    ///< Longest wait for other ranks, when they join and in every exchange.
};

/// Thrown when an exchange with other ranks fails: the connection is lost, or the timeout is over.
class LostConnection : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A rank's samples of a step: contiguous, at most one more than any other rank's.
struct RankShare {
  std::int64_t rank = 0;
  std::int64_t ranks = 1;

  std::int64_t first(std::int64_t count) const { return count * rank / ranks; }
  std::int64_t size(std::int64_t count) const { return count * (rank + 1) / ranks - first(count); }
};

}  // namespace gpubench
