#pragma once
// Ratios of two sides, and the verdicts on them. Intervals include how fresh processes of one program differ:
// only several processes show that, never epochs alone
// (Kalibera and Jones 2013, doi:10.1145/2491894.2464160).

#include <span>

#include "compare/candidate.h"
#include "gpubench/core/stats/estimate.h"

namespace gpubench {

/// Verdict on a ratio above 1 for the better side, by its 95 % interval. The first that holds.
enum class Outcome {
  kBetter,     ///< The interval lies above 1: in 1 of 40 comparisons of equals by chance.
  kWorse,      ///< The interval lies below 1.
  kEqual,      ///< It lies within the margin.
  kUndecided,  ///< Neither.
  kUnknown,    ///< There is no interval that includes how runs differ; a missing one proves nothing.
};

/// Margin of equality unless another is asked for: smaller differences are not worth reporting.
inline constexpr double kLeastMargin = 0.05;

/// Margin of sides in alternation, which are measured until the verdict is known.
inline constexpr double kMarginInAlternation = 0.02;

/// "Equal" means that the whole interval lies from 1 / (1 + margin) to 1 + margin. By the two one-sided tests
/// of Schuirmann (1987, doi:10.1007/BF01068419) that is said by chance at most 1 time in 40 of figures that
/// are further apart than the margin, which is at least 0.
Outcome decide_outcome(const Estimate& ratio, double margin = kLeastMargin);

/// Returns the margin within which the sides are equal: Candidate::equality_margin where one was asked for,
/// else kMarginInAlternation or kLeastMargin.
double compute_margin(const Candidate& one, const Candidate& other);

/// A figure of a row, with those of its processes.
struct SideFigure {
  const Candidate& candidate;
  double figure;
  const RoundFigures& processes;
};

/// `over` by `under`. Sides that were measured in alternation have ratio_of_rounds() over the rounds that
/// both have, or no interval if they share none. Others have from three processes a side on the interval of
/// ratio_of_stretches() over these where they were measured apart, else of ratio_of_medians(). Fewer
/// processes have no interval.
Estimate ratio_between(const SideFigure& over, const SideFigure& under, Measuring measuring);

/// The times of two rows that have one.
Estimate ratio_of_times(const CandidateRow& over, const CandidateRow& under, Measuring measuring);
Estimate ratio_of_times(const CandidateRow& over, const CandidateRow& under);

/// A figure of two rows of the same work, one over the other, with the processes that it is made of. Points
/// into the comparison.
struct RowRatio {
  Estimate ratio{};  ///< Of the base over the other: above 1 the other is the better one.
  const RoundFigures* over = nullptr;
  const RoundFigures* under = nullptr;
  Measuring measuring = Measuring::kMixed;  ///< Of the sides.
  CandidateRow base{};
  CandidateRow other{};  ///< Of the same candidate where a device is compared with itself.
};

/// Returns the geometric mean of ratios of rows, at least one, with an interval that allows for rounds: what
/// slows a whole round does not average away over its rows. In alternation, and where all rows of either side
/// share three rounds, the interval holds that of the ratio of the means of each round, by
/// ratio_of_rounds(), ratio_of_stretches() or ratio_of_medians(). Otherwise it is that of
/// compute_geometric_mean() the ratios.
Estimate compute_mean(std::span<const RowRatio> rows);

}  // namespace gpubench
