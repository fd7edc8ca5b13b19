#pragma once
// A rank's seat between processes; see wire.h.

#include "engine/execution/wire.h"
#include "engine/plan/seat.h"

namespace gpubench {

void parts(auto& visit, Like<RankSeat> auto& seat) {
  visit("rank", seat.rank);
  visit("ranks", seat.ranks);
  visit("host", seat.host);
  visit("port", seat.port);
  visit("listener", seat.listener);
  visit("token", seat.token);
  visit("patience_seconds", seat.patience);
}

}  // namespace gpubench
