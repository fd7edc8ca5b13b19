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
  std::int64_t max_epochs = 1;            ///< Equal to `min_epochs` where the number is fixed.
  std::optional<double> target_rel_ci95;  ///< Half the interval of the median over the median.
  Seconds min_timed{0};  ///< The epochs after the warm-up go on until they last this long together.

  friend bool operator==(const StoppingRule&, const StoppingRule&) = default;
};

/// A target counts as reached only after steady epochs of this length together. On a shared machine shorter
/// stretches agree with each other and not with the long run: in two recordings of some minutes each,
/// intervals of 30 s held the median of the whole 63 times in 72, those of 60 s 63 times in 64.
inline constexpr Seconds kLeastSteady{60};

/// More epochs than this a case never has, whatever the time: its record would be too large to read.
inline constexpr std::int64_t kMostEpochs = 100'000;

/// From which epoch on times show no trend.
struct SteadyState {
  std::int64_t first = 0;  ///< Epochs before it are warm-up.
  bool is_steady = false;  ///< False where times still fall or rise at the end, or where too few are left to
                           ///< tell (kLeastForTrend in core/stats.h): it is shown, never assumed.
  double slope = 0;        ///< Change an epoch from `first` on, as a part of the median.
};

/// Drops epochs from the front, at least `warmup_epochs` and at most half of the rest, until what remains is
/// level (core/stats.h) and does not begin with an outlier (core/stats.h), and never so many that too few are
/// left to tell. Where none of that is so, as many as may be are dropped. `epoch_seconds` holds more than
/// `warmup_epochs` values; of more than 500 after these, the medians of 500 equal stretches are looked at.
SteadyState find_steady_state(std::span<const double> epoch_seconds, std::int64_t warmup_epochs);

/// Why training ends now.
enum class Stop { kNo, kEpochs, kTargetReached, kMaxEpochs, kTime };

/// Whether to stop after these epochs. Never before `min_timed` is reached, for which more than `max_epochs`
/// are made. With a target: from `min_epochs` on, when times are steady and half the interval of the median
/// of the steady ones is below the target part of it, now and an epoch ago; fewer than 10 steady epochs must
/// be more precise, in proportion to their number. A rule without a target runs to the end. `timed` is the
/// sum of `epoch_seconds` after the warm-up that the rule asks for. Called after each epoch; takes constant
/// time but for a target, which of more than 128 epochs is looked for at 64 counts until there are twice as
/// many.
Stop decide(const StoppingRule& rule, std::span<const double> epoch_seconds, Seconds timed);

/// How many of the first epochs no statistic uses: the warm-up asked for, or, with a target, the one found.
std::int64_t count_warmup(const StoppingRule& rule, std::span<const double> epoch_seconds);

}  // namespace gpubench
