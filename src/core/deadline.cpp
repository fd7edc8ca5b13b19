#include "gpubench/core/deadline.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpubench/core/clock.h"

namespace gpubench {

Deadline::Deadline(Seconds budget) : end_(SteadyClock().now() + budget) {}

Seconds Deadline::left() const {
  if (end_ == kNever) return {std::numeric_limits<double>::infinity()};
  return {std::max(0.0, (end_ - SteadyClock().now()).value)};
}

int Deadline::milliseconds() const {
  constexpr double kHour = 3600;
  return static_cast<int>(std::ceil(1e3 * std::min(left().value, kHour)));
}

Deadline Deadline::at_most(Seconds budget) const {
  const Deadline other(budget);
  return other.end_ < end_ ? other : *this;
}

}  // namespace gpubench
