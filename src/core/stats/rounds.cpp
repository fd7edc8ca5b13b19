// Intervals of sides that were measured in alternation.

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "gpubench/core/stats/bootstrap.h"

namespace gpubench {
namespace {

constexpr double kLevel = 0.004;  // Of one interval, on both sides together.
constexpr double kNormalScoreAtLevel = 2.878162;
constexpr std::size_t kMostExact = 60;
constexpr std::size_t kFewestRanked = 7;  ///< Rounds from which on signed ranks give the interval.

/// Student's two-sided quantiles at kLevel for the degrees of freedom of 4, 5 and 6 rounds.
constexpr std::array kStudentAtLevel = {8.0526, 5.9514, 5.0302};
constexpr double kLeastFactor = 1.25;

/// Returns the chance of each value of Wilcoxon's statistic of `count` differences around 0.
std::vector<double> signed_rank_chances(std::size_t count) {
  std::vector<double> chances(count * (count + 1) / 2 + 1, 0);
  chances[0] = 1;
  for (std::size_t rank = 1; rank <= count; ++rank) {
    for (std::size_t sum = chances.size(); sum-- > 0;)
      chances[sum] = (chances[sum] + (sum >= rank ? chances[sum - rank] : 0)) / 2;
  }
  return chances;
}

/// Returns the ordered pair means beyond either end; none of seven or eight rounds (tails 1.6 or 0.8 %).
std::size_t means_beyond(std::size_t rounds) {
  const auto count = static_cast<double>(rounds);
  if (rounds > kMostExact) {
    const double deviation = std::sqrt(count * (count + 1) * (2 * count + 1) / 24);
    return static_cast<std::size_t>(count * (count + 1) / 4 - 0.5 - kNormalScoreAtLevel * deviation);
  }
  const std::vector<double> chances = signed_rank_chances(rounds);
  std::size_t beyond = 0;
  double tail = chances[0];
  // One more for as long as both tails together, with it in them, are within the level.
  while (2 * (tail += chances[beyond + 1]) <= kLevel) ++beyond;
  return beyond;
}

Estimate of_signed_ranks(const std::vector<double>& logarithms) {
  std::vector<double> means;
  for (auto first = logarithms.begin(); first != logarithms.end(); ++first) {
    for (auto second = first; second != logarithms.end(); ++second) means.push_back((*first + *second) / 2);
  }
  std::ranges::sort(means);
  const std::size_t beyond = means_beyond(logarithms.size());
  return {std::exp(compute_median(means)),
          Interval{std::exp(means[beyond]), std::exp(means[means.size() - 1 - beyond])}};
}

Estimate of_few(const std::vector<double>& logarithms) {
  const Summary summary = summarize(logarithms);
  const double ratio = std::exp(summary.mean);
  const std::size_t count = logarithms.size();
  if (count < kFewestRounds) return {ratio, missing("{} of at least {} rounds", count, kFewestRounds)};
  const double student = std::exp(kStudentAtLevel[count - kFewestRounds] * summary.stddev.value() /
                                  std::sqrt(static_cast<double>(count)));
  const double arm = std::max(kLeastFactor, student);
  return {ratio, Interval{ratio / arm, ratio * arm}};
}

}  // namespace

Estimate ratio_of_rounds(std::span<const double> over, std::span<const double> under) {
  if (over.empty() || over.size() != under.size())
    throw std::invalid_argument("a ratio of rounds needs both sides of each");
  if (!(std::ranges::min(over) > 0) || !(std::ranges::min(under) > 0))
    return {compute_median(over) / compute_median(under), missing("a value is not above 0")};
  std::vector<double> logarithms;
  std::ranges::transform(over, under, std::back_inserter(logarithms),
                         [](double a, double b) { return std::log(a / b); });
  return logarithms.size() < kFewestRanked ? of_few(logarithms) : of_signed_ranks(logarithms);
}

}  // namespace gpubench
