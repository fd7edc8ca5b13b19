#pragma once
// What a ratio amounts to. The only place that decides it; docs/comparing.md has the outcomes in words.

#include "gpubench/core/stats/estimate.h"

namespace gpubench {

/// What is beyond doubt of a ratio above 1 for what is better, by its 95 % interval. Of several that hold the
/// first.
enum class Outcome {
  kBetter,     ///< The interval lies above 1: in 1 of 40 comparisons of equals by chance,
  kWorse,      ///< and so below.
  kEqual,      ///< It lies within the margin.
  kUndecided,  ///< Neither.
  kUnknown,    ///< There is no interval that includes how runs differ; a missing one proves nothing.
};

/// Differences below this are not worth telling, whatever the machine could tell, unless another is asked
/// for.
inline constexpr double kLeastMargin = 0.05;

/// The same of sides in alternation, which are measured until it is known.
inline constexpr double kMarginInAlternation = 0.02;

/// "Equal" means that the whole interval lies from 1 / (1 + margin) to 1 + margin. By the two one-sided tests
/// of Schuirmann (1987, doi:10.1007/BF01068419) that is said by chance at most 1 time in 40 of figures that
/// are further apart than the margin, which is at least 0.
Outcome decide_outcome(const Estimate& ratio, double margin = kLeastMargin);

}  // namespace gpubench
