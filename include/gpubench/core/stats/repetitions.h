#pragma once
// How much is enough: how a measurement varies by level, within processes and between them, and how many
// processes of how many epochs make its median known to a margin (Kalibera and Jones 2013,
// doi:10.1145/2491894.2464160).

#include <cstdint>
#include <span>
#include <vector>

#include "gpubench/core/reading.h"

namespace gpubench {

/// What one process measured, in seconds.
struct ProcessTimes {
  std::vector<double> epochs;  ///< Those after the warm-up; at least one.
  std::vector<double> blocks;  ///< The parts of these, epoch by epoch, as many of each; empty where unknown.
};

/// Standard deviations as parts of the median over processes of their median epochs.
struct Variation {
  double within = 0;        ///< T1: of an epoch in its process.
  double between = 0;       ///< T2: of processes, had they all epochs that there could be; 0 where what
                            ///< their medians differ by is no more than their epochs explain.
  double most_between = 0;  ///< The upper limit of that, of 80 %: a few processes tell it badly.
};

/// The fewest processes of which something is said.
constexpr std::int64_t kLeastProcesses = 3;

/// What `processes` show. T1 is pooled over all of them, from their epochs; where none has two from the
/// blocks of its one, which are taken for a first-order autoregression once what is slower or faster at its
/// place in every epoch is taken away. T2^2 is the variance of the processes' medians less what T1 does to
/// these; its limit has chi-square's quantile in it. Epochs that resemble their neighbours make T1 small and
/// T2 large, which costs processes, not precision.
///
/// Absent for fewer than kLeastProcesses, for times that are not above 0, and where nothing tells T1.
Reading<Variation> variation_of(std::span<const ProcessTimes> processes);

/// What is paid for, in seconds.
struct LevelCosts {
  double process = 0;  ///< Start, set-up and warm-up of a process.
  double epoch = 0;
};

/// A measurement of `processes` times so many `epochs`, the warm-up not counted.
struct RepetitionPlan {
  std::int64_t epochs = 0;
  std::int64_t processes = 0;       ///< With Variation::between.
  std::int64_t most_processes = 0;  ///< With Variation::most_between.
};

/// More than this is not worth a plan: such counts mean "so many or more".
constexpr std::int64_t kMostProcesses = 10'000;

/// How many processes of so many `epochs` there must be, at least kLeastProcesses, that half the 95 %
/// interval of the median of their medians is at most `margin`, a part of it: by Student's distribution,
/// whose degrees of freedom are theirs, and variance_of_median().
std::int64_t processes_needed(const Variation& variation, std::int64_t epochs, double margin);

/// The cheapest plan for `margin`, above 0: T1 / T2 sqrt(c_process / c_epoch) epochs, rounded up (their r_1),
/// but no more than let five processes do. Where T2 is 0 its limit stands for it in that.
///
/// In simulation (tests/unit/core/repetitions_test.cpp) the median of as many processes as planned for 2 % is
/// that near to the long run in 94 % of runs or more where the variation is known, and in 92 % or more where
/// epochs have an autocorrelation of 0.6; in 88 to 99 % where five processes of three epochs told it, and
/// then of `most_processes` in 95 % or more. Half of the interval that such a run itself finds is at most the
/// margin in about half of runs: the plan is for what is usual.
RepetitionPlan plan_repetitions(const Variation& variation, const LevelCosts& costs, double margin);

}  // namespace gpubench
