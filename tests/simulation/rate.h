#pragma once
// What simulations count, and tables of it.

#include <string>
#include <vector>

#include "gpubench/core/measured.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench::test {

/// How often intervals hold the truth, and how wide they are.
class Coverage {
 public:
  /// An absent interval does not count.
  void add(const Measured<Interval>& interval, double truth);

  bool is_known() const { return !halfwidths_.empty(); }
  double part() const { return held_ / static_cast<double>(halfwidths_.size()); }
  double halfwidth() const { return compute_median(halfwidths_); }  ///< Median, as a part of the truth.

 private:
  double held_ = 0;
  std::vector<double> halfwidths_;
};

/// Coverage from which on an interval is as good as it says.
inline constexpr double kEnoughCoverage = 0.93;

/// "96.1 %, ± 4.2 %, 1.1": with how many times as wide it is as the narrowest of `others` that cover enough,
/// itself included.
std::string coverage_text(const Coverage& coverage, const std::vector<Coverage>& others);

std::string percent(double part);

/// A table in Markdown, on standard output.
void print_table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);

}  // namespace gpubench::test
