#pragma once
// Position of a rank in its group. Ranks are processes that train one case together. No LibTorch.

#include <cstdint>
#include <stdexcept>
#include <string>

#include "gpubench/core/units.h"

namespace gpubench {

struct RankContext {
  std::int64_t rank = 0;   ///< Rank, from 0.
  std::int64_t ranks = 1;  ///< World size.
  std::string host;        ///< Name or address of rank 0's host.
  int port = 0;            ///< Port of the rendezvous store on that host.
  int listener = -1;       ///< Listening socket for the store, on rank 0; -1 on other ranks.
  std::string group_id;    ///< Unique id of this group.
  Seconds timeout{600};    ///< Maximum wait for other ranks when joining and in each exchange.
};

/// Failure of an exchange with other ranks: a lost connection or a timeout.
class LostConnection : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Contiguous part of a step's samples for one rank. Shares differ by at most one sample.
struct RankShare {
  std::int64_t rank = 0;
  std::int64_t ranks = 1;

  std::int64_t first(std::int64_t count) const { return count * rank / ranks; }
  std::int64_t size(std::int64_t count) const { return count * (rank + 1) / ranks - first(count); }
};

}  // namespace gpubench
