#include "power/log/elapsed_chain.h"

#include <algorithm>

namespace gpubench {
namespace {

constexpr double kResolution = 1;

/// Between which two moments a stamp was made.
struct Bounds {
  double low;
  double high;
};

Bounds bounds_of(const CoarseStamp& stamp) { return {stamp.time.value, stamp.time.value + kResolution}; }

/// What is known of `stamp` from itself and from what is known of the one above.
Bounds narrowed(const Bounds& above, const CoarseStamp& stamp) {
  const Bounds own = bounds_of(stamp);
  const Bounds chained{above.low + stamp.elapsed.value, above.high + stamp.elapsed.value};
  const bool is_gap = chained.low > own.high + kResolution || chained.high < own.low - kResolution;
  if (is_gap) return own;
  return {std::clamp(chained.low, own.low, own.high), std::clamp(chained.high, own.low, own.high)};
}

}  // namespace

ChainedTimes chained_times(const std::vector<CoarseStamp>& stamps) {
  std::vector<Bounds> bounds;
  for (const CoarseStamp& stamp : stamps) {
    bounds.push_back(bounds.empty() ? bounds_of(stamp) : narrowed(bounds.back(), stamp));
  }
  ChainedTimes chained;
  if (stamps.empty()) return chained;
  // Back from the last one, of which all those above tell most.
  double wanted = (bounds.back().low + bounds.back().high) / 2;
  chained.uncertainty = Seconds{(bounds.back().high - bounds.back().low) / 2};
  chained.times.resize(stamps.size());
  for (std::size_t i = stamps.size(); i-- > 0;) {
    chained.times[i] = Seconds{std::clamp(wanted, bounds[i].low, bounds[i].high)};
    wanted = chained.times[i].value - stamps[i].elapsed.value;
  }
  return chained;
}

}  // namespace gpubench
