#include "simulation/rate.h"

#include <algorithm>

#include <fmt/format.h>

#include "gpubench/core/text/figures.h"

namespace gpubench::test {

void Coverage::add(const Measured<Interval>& interval, double truth) {
  if (!interval.has_value()) return;
  const auto [low, high] = interval.value();
  held_ += low <= truth && truth <= high ? 1 : 0;
  halfwidths_.push_back((high - low) / 2 / truth);
}

std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

std::string coverage_text(const Coverage& coverage, const std::vector<Coverage>& others) {
  if (!coverage.is_known()) return "-";
  double best = coverage.part() >= kEnoughCoverage ? coverage.halfwidth() : 0;
  for (const Coverage& other : others) {
    if (!other.is_known() || other.part() < kEnoughCoverage) continue;
    best = best == 0 ? other.halfwidth() : std::min(best, other.halfwidth());
  }
  const std::string figures =
      fmt::format("{}, ± {}", percent(coverage.part()), percent(coverage.halfwidth()));
  return best == 0 ? figures + ", none" : fmt::format("{}, {:.1f}", figures, coverage.halfwidth() / best);
}

void print_table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) {
  const auto line = [](const std::vector<std::string>& cells) {
    fmt::print("| {} |\n", fmt::join(cells, " | "));
  };
  line(head);
  line(std::vector<std::string>(head.size(), "---"));
  for (const std::vector<std::string>& row : rows) line(row);
  fmt::print("\n");
}

}  // namespace gpubench::test
