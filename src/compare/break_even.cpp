// From how many epochs on the side whose epochs are faster is ahead.

#include "compare/comparison.h"
#include "compare/verdict.h"

namespace gpubench {
namespace {

BreakEven who_is_ahead(double epochs, bool is_base) {
  using Kind = BreakEven::Kind;
  if (epochs <= 0) return {is_base ? Kind::kBaseAlways : Kind::kOtherAlways, epochs};
  return {is_base ? Kind::kBaseOvertakes : Kind::kOtherOvertakes, epochs};
}

}  // namespace

Measured<BreakEven> break_even(const Pair& pair) {
  const auto startups = find_startups(pair);
  if (!startups.has_value()) return missing(startups.reason());
  const Measured<Estimate> ratio = speed_ratio(pair);
  if (!ratio.has_value()) return missing(ratio.reason());
  const Outcome outcome = decide_outcome(ratio.value());
  if (outcome == Outcome::kUnknown) return missing(ratio.value().interval.reason());
  const double less = pair.base->seconds.value().value - pair.other->seconds.value().value;
  // In alternation the ratio is that of rounds, and medians may say otherwise.
  const bool is_base = outcome == Outcome::kWorse && less < 0;
  const bool is_other = outcome == Outcome::kBetter && less > 0;
  if (!is_base && !is_other) return missing("the epochs do not differ measurably");
  const auto [start_base, start_other] = startups.value();
  return who_is_ahead((start_other - start_base) / less, is_base);
}

}  // namespace gpubench
