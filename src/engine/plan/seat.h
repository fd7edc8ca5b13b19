#pragma once
// Several processes, the ranks, that train one case together: what one of them is told. No LibTorch.

#include <cstdint>
#include <string>
#include <string_view>

#include "gpubench/core/units.h"

namespace gpubench {

/// A rank's place in the group of a case.
struct RankSeat {
  std::int64_t rank = 0;   ///< From 0.
  std::int64_t ranks = 1;  ///< All of them.
  std::string host;        ///< Where rank 0 is: a name or an address.
  int port = 0;            ///< Of the store there, in which ranks find each other.
  int listener =
      -1;  ///< Of rank 0: the descriptor of a socket that listens there, for the store to take over.
  std::string token;      ///< The same for the ranks of this case, and for no others.
  Seconds patience{600};  ///< How long a rank waits for the others, when they join and in every exchange.

  friend bool operator==(const RankSeat&, const RankSeat&) = default;
};

/// How a rank's words begin whose failure came with an exchange: mostly it is another one's fault.
inline constexpr std::string_view kExchangeFailed = "an exchange with other ranks failed";

/// Which samples of a step are a rank's: a stretch, at most one sample longer than that of any other.
struct RankShare {
  std::int64_t rank = 0;
  std::int64_t ranks = 1;

  std::int64_t first(std::int64_t count) const { return count * rank / ranks; }
  std::int64_t size(std::int64_t count) const { return count * (rank + 1) / ranks - first(count); }
};

}  // namespace gpubench
