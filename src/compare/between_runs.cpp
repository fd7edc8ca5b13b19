#include "compare/between_runs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gpubench/core/collect.h"
#include "gpubench/core/stats/bootstrap.h"
#include "gpubench/core/stats/rounds.h"

namespace gpubench {
namespace {

Missing unknown_between_runs(const SideFigure& one, const SideFigure& other) {
  if (one.candidate.published || other.candidate.published)
    return missing("published figures have no interval");
  const std::size_t fewer = std::min(one.processes.size(), other.processes.size());
  return missing("{} {}, may be chance", fewer < 2 ? "one run" : "two runs",
                 one.processes.size() == other.processes.size() ? "each" : "on a side");
}

using Sides = std::vector<const RoundFigures*>;

/// The rounds that all rows have.
std::vector<std::int64_t> shared_rounds(const Sides& rows) {
  std::vector<std::int64_t> rounds = rows.front()->rounds;
  for (const RoundFigures* row : rows) {
    std::erase_if(rounds, [&](std::int64_t round) {
      return std::ranges::find(row->rounds, round) == row->rounds.end();
    });
  }
  return rounds;
}

/// The geometric mean of the rows in each round that all have; 0 where a figure is not above 0.
std::vector<double> means_in(const std::vector<std::int64_t>& rounds, const Sides& rows) {
  return mapped(rounds, [&](std::int64_t round) {
    double logarithms = 0;
    for (const RoundFigures* row : rows) {
      const auto place = std::ranges::find(row->rounds, round) - row->rounds.begin();
      const double value = row->values[static_cast<std::size_t>(place)];
      if (!(value > 0)) return 0.0;
      logarithms += std::log(value);
    }
    return std::exp(logarithms / static_cast<double>(rows.size()));
  });
}

/// Needs three processes a side.
Estimate ratio_of_processes(const std::vector<double>& over, const std::vector<double>& under,
                            Measuring measuring) {
  return measuring == Measuring::kApart ? ratio_of_stretches(over, under) : ratio_of_medians(over, under);
}

Estimate ratio_in_alternation(const Sides& over, const Sides& under, double measured) {
  Sides all = over;
  append(all, under);
  const std::vector<std::int64_t> rounds = shared_rounds(all);
  if (rounds.empty()) return {measured, missing("the sides have no round in common")};
  return ratio_of_rounds(means_in(rounds, over), means_in(rounds, under));
}

/// Returns `value` with an interval that holds both that of `estimate` and its arms around the value: a
/// mean over rounds may lie beyond the ratios of all rows, and moving its interval alone would be wrong more
/// often.
Estimate moved_to(double value, const Estimate& estimate) {
  const double factor = value / estimate.value;
  return {value, estimate.interval.then([&](const Interval& interval) {
            return Interval{std::min(1.0, factor) * interval.low, std::max(1.0, factor) * interval.high};
          })};
}

}  // namespace

Outcome decide_outcome(const Estimate& ratio, double margin) {
  if (!ratio.interval.has_value()) return Outcome::kUnknown;
  const auto [low, high] = ratio.interval.value();
  if (low > 1) return Outcome::kBetter;
  if (high < 1) return Outcome::kWorse;
  return low >= 1 / (1 + margin) && high <= 1 + margin ? Outcome::kEqual : Outcome::kUndecided;
}

double compute_margin(const Candidate& one, const Candidate& other) {
  if (one.equality_margin) return *one.equality_margin;
  return are_in_alternation(one, other) ? kMarginInAlternation : kLeastMargin;
}

Estimate ratio_between(const SideFigure& over, const SideFigure& under, Measuring measuring) {
  const double measured = over.figure / under.figure;
  if (measuring == Measuring::kAlternation)
    return ratio_in_alternation({&over.processes}, {&under.processes}, measured);
  const std::size_t fewer = std::min(over.processes.size(), under.processes.size());
  if (fewer >= kEnoughProcesses)
    return ratio_of_processes(over.processes.values, under.processes.values, measuring);
  return {measured, unknown_between_runs(over, under)};
}

Estimate ratio_of_times(const CandidateRow& over, const CandidateRow& under) {
  return ratio_of_times(over, under, find_measuring(*over.candidate, *under.candidate));
}

Estimate ratio_of_times(const CandidateRow& over, const CandidateRow& under, Measuring measuring) {
  const auto side = [](const CandidateRow& row) {
    return SideFigure{*row.candidate, row.figures->seconds.value().value, row.figures->process_seconds};
  };
  return ratio_between(side(over), side(under), measuring);
}

Estimate compute_mean(std::span<const RowRatio> rows) {
  if (rows.size() == 1) return rows.front().ratio;
  const Sides over = mapped(rows, &RowRatio::over);
  const Sides under = mapped(rows, &RowRatio::under);
  const Estimate of_rows = compute_geometric_mean(mapped(rows, &RowRatio::ratio));
  if (!of_rows.interval.has_value()) return of_rows;
  const auto is_of_all = [&](Measuring how) {
    return std::ranges::all_of(rows, [how](const RowRatio& row) { return row.measuring == how; });
  };
  if (is_of_all(Measuring::kAlternation))
    return moved_to(of_rows.value, ratio_in_alternation(over, under, of_rows.value));
  const std::vector<double> above = means_in(shared_rounds(over), over);
  const std::vector<double> below = means_in(shared_rounds(under), under);
  if (std::min(above.size(), below.size()) < kEnoughProcesses) return of_rows;
  const Measuring measuring = is_of_all(Measuring::kMixed) ? Measuring::kMixed : Measuring::kApart;
  return moved_to(of_rows.value, ratio_of_processes(above, below, measuring));
}

}  // namespace gpubench
