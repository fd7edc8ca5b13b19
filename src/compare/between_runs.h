#pragma once
// Ratios of two sides whose intervals include how fresh processes of one program differ from each other: that
// is seen between rounds of processes, or known of a machine that was calibrated, and never from epochs alone
// (Kalibera and Jones 2013, doi:10.1145/2491894.2464160).

#include <cstddef>
#include <span>

#include "compare/contender.h"
#include "gpubench/core/stats/estimate.h"

namespace gpubench {

/// The larger noise floor of the two machines (NoiseFloor::relative) for comparisons of so many processes a
/// side, of which 0 count as one. A machine that was calibrated stands for itself on the other side. Absent
/// where a machine was not, for what was published, and for sides in alternation, which tell it themselves.
Reading<double> noise_floor_of(const Contender& one, const Contender& other, std::size_t processes);

/// Below this the sides are told to be equal: Contender::equality_margin where one was asked for; else 2 % in
/// alternation, and 5 % or the noise floor, where that is larger, otherwise.
double margin_of(const Contender& one, const Contender& other, std::size_t processes);

/// A figure of a row, with those of its processes.
struct SideFigure {
  const Contender& contender;
  const Estimate& figure;  ///< Its interval is that within processes.
  const RoundFigures& processes;
  bool is_time = true;  ///< How times of processes differ a calibration tells, and of nothing else.
};

/// `over` by `under`. Sides that were measured in alternation have ratio_of_rounds() over the rounds that
/// both have, or no interval where there is none. Others have from three processes a side on the interval of
/// ratio_of_stretches() over these where they were measured apart, else of ratio_of_medians(). Times of fewer
/// have their own one, widened to what 99 of 100 comparisons of equals differ by (NoiseFloor::of_99); 19 of
/// 20 are too few where some processes are far off and none of these was among those of the calibration.
/// Without a calibration, and of other figures, there is none.
Estimate ratio_between(const SideFigure& over, const SideFigure& under, Measuring measuring);

/// The times of two rows that have one.
Estimate ratio_of_times(const ContenderRow& over, const ContenderRow& under, Measuring measuring);
Estimate ratio_of_times(const ContenderRow& over, const ContenderRow& under);

/// A ratio that nothing is wrong with.
inline const Estimate kExact{1, Interval{1, 1}};

/// A ratio of two rows, with the figures of the processes that it is made of.
struct RoundRatio {
  Estimate ratio;
  const RoundFigures* over;
  const RoundFigures* under;
  Measuring measuring = Measuring::kMixed;  ///< Of the sides.
  Estimate sensors = kExact;                ///< What all rounds get wrong alike; `ratio` includes it.
};

/// The geometric mean of ratios of rows, at least one. Of sides in alternation it is ratio_of_rounds() of the
/// means of each round. Else, where all rows of either side share three rounds it is
/// taken of each round, and the sides' medians over rounds are divided by each other, with the interval of
/// ratio_of_stretches() or ratio_of_medians() and the mean of the sensors' errors: what slows a whole round
/// does not average away over its rows. Else it is geometric_mean_of() the ratios.
Estimate mean_of_rounds(std::span<const RoundRatio> rows);

}  // namespace gpubench
