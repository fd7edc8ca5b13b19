#include "compare/verdict.h"

namespace gpubench {

Outcome decide_outcome(const Estimate& ratio, double margin) {
  if (!ratio.interval.has_value()) return Outcome::kUnknown;
  const auto [low, high] = ratio.interval.value();
  if (low > 1) return Outcome::kBetter;
  if (high < 1) return Outcome::kWorse;
  return low >= 1 / (1 + margin) && high <= 1 + margin ? Outcome::kEqual : Outcome::kUndecided;
}

}  // namespace gpubench
