#pragma once
// How much a scatter that was itself estimated from few values widens an interval.

namespace gpubench {

/// The quantile of the normal distribution for a two-sided interval of 95 %.
constexpr double kNormalScore = 1.959964;

/// That quantile of Student's distribution over that of the normal one, by the expansion of Abramowitz and
/// Stegun 26.7.5: 3 % too low for two degrees of freedom, 1 % for three, right to 0.3 % from four on.
double student_factor(double freedom);

}  // namespace gpubench
