#include "compare/ranking.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "gpubench/core/collect.h"
#include "gpubench/core/stats/change_points.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {
namespace {

constexpr double kRankLevel = 0.05;

/// Distance of a pair from equality.
struct Distance {
  double logarithm = 0;  ///< Logarithm of the ratio.
  double deviation = 0;  ///< Its standard deviation, from both halves of the interval.
  double p_value = 1;
};

double p_value(double logarithm, double deviation, double freedom) {
  if (logarithm == 0) return 1;
  return deviation > 0 ? student_p_value(std::abs(logarithm) / deviation, freedom) : 0;
}

/// Needs an interval. The p-value is below 5 % if the interval excludes 1.
Distance measure_distance(const RankTest& test) {
  const auto [low, high] = test.ratio.interval.value();
  Distance distance{std::log(test.ratio.value)};
  const double arm =
      distance.logarithm > 0 ? std::log(test.ratio.value / low) : std::log(high / test.ratio.value);
  const double quantile = student_quantile(test.freedom);
  distance.deviation = std::log(high / low) / 2 / quantile;
  distance.p_value = p_value(distance.logarithm, arm / quantile, test.freedom);
  return distance;
}

/// Returns the mean variance of the pairs; 0 if their deviations are too different.
double pool_variance(const std::vector<Distance>& distances) {
  constexpr double kMostUnlike = 5;
  const std::vector<double> deviations = mapped(distances, &Distance::deviation);
  const auto [least, most] = std::ranges::minmax(deviations);
  if (!(least > 0) || most > kMostUnlike * least) return 0;
  return summarize(mapped(deviations, [](double deviation) { return deviation * deviation; })).mean;
}

using Members = std::vector<std::size_t>;

/// Candidates whose rows of a work are comparable, by one metric.
struct Group {
  const Metric* metric = nullptr;
  Members members;
};

/// Adds the candidate to the group if some main metric is comparable in all pairs of its members.
bool join_group(const PairTable& pairs, const WorkRows& work, std::size_t candidate, Group& group) {
  Members members = group.members;
  members.push_back(candidate);
  const auto fits = [&](const Metric* metric) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      // Pairs of earlier members are known to fit the group's own metric.
      for (std::size_t j = metric == group.metric ? members.size() - 1 : i + 1; j < members.size(); ++j) {
        if (i != j && !is_comparable(*metric, pairs.find(work, members[i], members[j]))) return false;
      }
    }
    return true;
  };
  const auto found = std::ranges::find_if(main_metrics(), fits);
  if (found == main_metrics().end()) return false;
  group = {*found, std::move(members)};
  return true;
}

/// Returns the groups of at least two candidates; each candidate is in the first group that it fits.
std::vector<Group> form_groups(const PairTable& pairs, const WorkRows& work) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < work.rows.size(); ++i) {
    if (work.rows[i] == nullptr || find_main_metric({work.rows[i]}) == nullptr) continue;
    const bool is_member =
        std::ranges::any_of(groups, [&](Group& group) { return join_group(pairs, work, i, group); });
    if (!is_member) groups.push_back({nullptr, {i}});
  }
  std::erase_if(groups, [](const Group& group) { return group.members.size() < 2; });
  return groups;
}

/// Works that the same candidates have in common, with the metric of each.
struct CommonWorks {
  Members members;
  std::vector<WorkRows> works{};
  std::vector<const Metric*> metrics{};
};

/// Returns the ratio of two members over the works.
RankTest make_test(const PairTable& pairs, const CommonWorks& common, std::size_t base, std::size_t other) {
  const Members& members = common.members;
  std::vector<RowRatio> ratios;
  for (std::size_t i = 0; i < common.works.size(); ++i) {
    const Pair pair = pairs.find(common.works[i], members[base], members[other]);
    ratios.push_back(find_ratio(common.metrics[i], pair).value());
  }
  return {base, other, compute_mean(ratios), std::ranges::min(mapped(ratios, &RowRatio::freedom))};
}

/// Returns the degrees of freedom of all samples together if all candidates were measured apart, else 0.
double count_freedom(const PairTable& pairs, const CommonWorks& common) {
  double freedom = 0;
  for (const std::size_t i : common.members) {
    for (const std::size_t j : common.members) {
      if (i < j && pairs.at(i, j).measuring() != Measuring::kApart) return 0;
    }
    const std::size_t size = common.works.front().rows[i]->find(*common.metrics.front())->size();
    freedom += static_cast<double>(size) - 1;
  }
  return freedom;
}

Ranking rank(const Comparison& comparison, const PairTable& pairs, const CommonWorks& common) {
  const Members& members = common.members;
  Ranking ranking{common.works, &comparison.candidates[members.front()], common.metrics.front(), {}};
  std::vector<RankTest> tests;
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (std::size_t j = i + 1; j < members.size(); ++j) tests.push_back(make_test(pairs, common, i, j));
  }
  const auto ranks = decide_ranks(members.size(), tests, count_freedom(pairs, common));
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::size_t position = members[i];
    ranking.candidates.push_back(
        {&comparison.candidates[position],
         mapped(common.works, [&](const WorkRows& work) { return work.rows[position]; }),
         i == 0 ? Estimate{1, Interval{1, 1}} : tests[i - 1].ratio, ranks[i]});
  }
  std::ranges::stable_sort(ranking.candidates, std::greater(),
                           [](const RankedCandidate& one) { return one.relative.value; });
  return ranking;
}

}  // namespace

std::vector<std::optional<RankInterval>> decide_ranks(std::size_t candidates,
                                                      const std::vector<RankTest>& tests,
                                                      double pooled_freedom) {
  std::vector<RankTest> known = tests;
  std::erase_if(known, [](const RankTest& test) { return !test.ratio.interval.has_value(); });
  std::vector<std::optional<RankInterval>> ranks(candidates);
  if (known.empty()) return ranks;
  const std::vector<Distance> distances = mapped(known, measure_distance);
  const double variance = pooled_freedom > 0 ? pool_variance(distances) : 0;
  const std::vector<double> adjusted = adjust_by_holm(mapped(distances, [&](const Distance& one) {
    if (variance == 0) return one.p_value;
    const double pooled = p_value(one.logarithm, std::sqrt(variance), pooled_freedom);
    return one.p_value > kRankLevel ? std::max(one.p_value, pooled) : pooled;
  }));
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto [base, other] = std::pair{known[i].base, known[i].other};
    for (const std::size_t one : {base, other}) {
      if (!ranks[one]) ranks[one] = {1, candidates};
    }
    if (adjusted[i] > kRankLevel) continue;
    const bool is_other_better = distances[i].logarithm > 0;
    --ranks[is_other_better ? other : base]->worst;
    ++ranks[is_other_better ? base : other]->best;
  }
  return ranks;
}

std::size_t WorkRows::first() const {
  const auto found = std::ranges::find_if(rows, [](const ComparedRow* row) { return row != nullptr; });
  return static_cast<std::size_t>(found - rows.begin());
}

std::vector<WorkRows> align_rows(const Comparison& comparison, const PairTable& pairs) {
  const std::size_t count = comparison.candidates.size();
  auto left = mapped(comparison.candidates, [](const Candidate& one) {
    return mapped(one.rows, [](const ComparedRow& row) { return &row; });
  });
  std::vector<WorkRows> works;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = works.size();
    for (const ComparedRow* row : left[i]) {
      works.push_back({std::vector<const ComparedRow*>(count)});
      works.back().rows[i] = row;
    }
    for (std::size_t j = i + 1; j < count; ++j) {
      const std::vector<Pair> matches = match_rows(pairs.at(i, j), left[i], left[j]);
      for (std::size_t k = 0; k < left[i].size(); ++k) {
        const ComparedRow* const other = matches[k].other;
        const Pair pair = compare_rows(pairs.at(i, j), left[i][k], other);
        if (comparability_on(MetricClass::kTime, pair) == Comparability::kRefused) continue;
        works[first + k].rows[j] = other;
        std::erase(left[j], other);
      }
    }
  }
  return works;
}

PairTable::PairTable(const Comparison& comparison) : count_(comparison.candidates.size()) {
  for (const Candidate& base : comparison.candidates) {
    for (const Candidate& other : comparison.candidates)
      pairs_.push_back({&base, &other, comparison.is_forced, differences(base, other)});
  }
}

std::vector<Ranking> rank_candidates(const Comparison& comparison) {
  const PairTable pairs(comparison);
  std::vector<CommonWorks> all;
  for (const WorkRows& work : align_rows(comparison, pairs)) {
    for (const Group& group : form_groups(pairs, work)) {
      auto common = std::ranges::find(all, group.members, &CommonWorks::members);
      if (common == all.end()) common = all.insert(common, {group.members});
      common->works.push_back(work);
      common->metrics.push_back(group.metric);
    }
  }
  std::ranges::stable_sort(all, std::greater(), [](const CommonWorks& one) { return one.members.size(); });
  return mapped(all, [&](const CommonWorks& common) { return rank(comparison, pairs, common); });
}

std::optional<double> cost_per_million(const RankedCandidate& candidate) {
  constexpr double kSecondsPerHour = 3600;
  if (!candidate.candidate->price_per_hour) return std::nullopt;
  std::vector<Estimate> throughputs;
  for (const ComparedRow* row : candidate.rows) {
    const Measured<Estimate> throughput = row->estimate("samples_per_second");
    if (!throughput.has_value()) return std::nullopt;
    throughputs.push_back(throughput.value());
  }
  return *candidate.candidate->price_per_hour / kSecondsPerHour * 1e6 /
         compute_geometric_mean(throughputs).value;
}

}  // namespace gpubench
