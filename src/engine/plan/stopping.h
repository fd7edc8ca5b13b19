#pragma once
// When a case has trained for long enough. Pure functions of the epoch times seen so far; no LibTorch.

#include <cstdint>
#include <optional>
#include <span>

#include "gpubench/core/units.h"

namespace gpubench {

/// How many epochs a case trains.
struct StoppingRule {
  std::int64_t warmup_epochs = 0;         ///< The least to drop; a rule with a target may drop more.
  std::int64_t min_epochs = 1;            ///< The warm-up included.
  std::int64_t max_epochs = 1;            ///< Equal to `min_epochs` if the number is fixed.
  std::optional<double> target_rel_ci95;  ///< Half the interval of the median over the median.
  Seconds min_timed{0};                   ///< Least total length of the epochs after the warm-up.

  friend bool operator==(const StoppingRule&, const StoppingRule&) = default;
};

/// A target counts as reached only after steady epochs of this length together. On a shared machine shorter
/// stretches agree with each other and not with the long run: in two recordings of some minutes each,
/// intervals of 30 s held the median of the whole 63 times in 72, those of 60 s 63 times in 64.
inline constexpr Seconds kLeastSteady{60};

/// Most epochs of a case: a record of more would be too large to read.
inline constexpr std::int64_t kMostEpochs = 100'000;

/// The epochs whose times show no trend.
struct SteadyState {
  std::int64_t first = 0;  ///< Epochs before it are warm-up.
  bool is_steady = false;  ///< False if times still fall or rise at the end, or if there are too few
                           ///< (kLeastForTrend in core/stats.h).
  double slope = 0;        ///< Change an epoch from `first` on, as a part of the median.
};

/// Drops epochs from the front, at least `warmup_epochs` and at most half of the rest, until the rest is
/// level and does not begin with an outlier (core/stats.h) or has kLeastForTrend epochs. `epoch_seconds`
/// holds more than `warmup_epochs` values; of more than 500 after these, the medians of 500 equal stretches
/// are used.
SteadyState find_steady_state(std::span<const double> epoch_seconds, std::int64_t warmup_epochs);

enum class Stop { kNo, kEpochs, kTargetReached, kMaxEpochs, kTime };

/// Decides after each epoch whether and why to stop. Never before `min_timed` is reached, even after
/// `max_epochs`. With a target: from `min_epochs` on, when times are steady and half the interval of the
/// median of the steady ones is below the target part of it, now and an epoch ago; fewer than 10 steady
/// epochs must be more precise, in proportion to their number. `timed` is the sum of `epoch_seconds` after
/// the rule's warm-up.
Stop decide(const StoppingRule& rule, std::span<const double> epoch_seconds, Seconds timed);

/// Returns the number of epochs that statistics leave out: the rule's warm-up, or, with a target, the one
/// found.
std::int64_t count_warmup(const StoppingRule& rule, std::span<const double> epoch_seconds);

}  // namespace gpubench
