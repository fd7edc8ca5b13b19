#pragma once
// Finer times than those of stamps in whole seconds.

#include <vector>

#include "gpubench/core/units.h"

namespace gpubench {

/// A stamp cut to whole seconds, and how long before it the one above was.
struct CoarseStamp {
  Seconds time;
  Seconds elapsed;
};

struct ChainedTimes {
  std::vector<Seconds> times;
  Seconds uncertainty{0};  ///< All of them, but for those before a gap, may be off by so much either way.
};

/// Times that are as far apart as `elapsed` says and of which each, cut to whole seconds, is its stamp. Where
/// no such times are, since the log has gaps or its elapsed times do not add up, those nearest to them that
/// stay within their stamp's second.
ChainedTimes chained_times(const std::vector<CoarseStamp>& stamps);

}  // namespace gpubench
