#pragma once
// Ratios of two sides whose intervals include how fresh processes of one program differ from each other: only
// several processes show that, never epochs alone
// (Kalibera and Jones 2013, doi:10.1145/2491894.2464160).

#include <cstddef>
#include <span>

#include "compare/candidate.h"
#include "gpubench/core/stats/estimate.h"

namespace gpubench {

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
/// both have, or no interval where there is none. Others have from three processes a side on the interval of
/// ratio_of_stretches() over these where they were measured apart, else of ratio_of_medians(). Fewer
/// processes have no interval.
Estimate ratio_between(const SideFigure& over, const SideFigure& under, Measuring measuring);

/// The times of two rows that have one.
Estimate ratio_of_times(const CandidateRow& over, const CandidateRow& under, Measuring measuring);
Estimate ratio_of_times(const CandidateRow& over, const CandidateRow& under);

/// A ratio of two rows, with the figures of the processes that it is made of.
struct RoundRatio {
  Estimate ratio;
  const RoundFigures* over;
  const RoundFigures* under;
  Measuring measuring = Measuring::kMixed;  ///< Of the sides.
};

/// Returns the geometric mean of ratios of rows, at least one, with an interval that allows for rounds: what
/// slows a whole round does not average away over its rows. In alternation, and where all rows of either side
/// share three rounds, the interval holds that of the ratio of the means of each round, by
/// ratio_of_rounds(), ratio_of_stretches() or ratio_of_medians(). Otherwise it is that of
/// compute_geometric_mean() the ratios.
Estimate mean_of_rounds(std::span<const RoundRatio> rows);

}  // namespace gpubench
