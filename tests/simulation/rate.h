#pragma once
// Rates in simulations, and tables of rates.

#include <string>
#include <vector>

#include "gpubench/core/measured.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench::test {

/// Coverage and width of intervals.
class Coverage {
 public:
  /// Ignores a missing interval.
  void add(const Measured<Interval>& interval, double truth);

  bool is_known() const { return !halfwidths_.empty(); }
  double part() const { return held_ / static_cast<double>(halfwidths_.size()); }
  double halfwidth() const { return compute_median(halfwidths_); }  ///< Median, relative to the truth.

 private:
  double held_ = 0;
  std::vector<double> halfwidths_;
};

/// Lowest acceptable coverage of a 95 % interval.
inline constexpr double kEnoughCoverage = 0.93;

/// Formats coverage, half-width, and the width relative to the narrowest interval with enough coverage:
/// "96.1 %, ± 4.2 %, 1.1".
std::string coverage_text(const Coverage& coverage, const std::vector<Coverage>& others);

std::string percent(double part);

/// Prints a Markdown table.
void print_table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);

}  // namespace gpubench::test
