#pragma once
// Time of work that overlaps, divided so that no moment counts twice.

#include <cstdint>
#include <vector>

namespace gpubench {

struct Interval {
  std::int64_t start_ns;
  std::int64_t end_ns;  ///< At least `start_ns`.
};

/// How much of the time belongs to each: moments that several share are divided equally among them.
std::vector<double> shares_ns(const std::vector<Interval>& intervals);

}  // namespace gpubench
