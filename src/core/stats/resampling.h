#pragma once
// Medians of resamples, for bootstrap intervals.

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "gpubench/core/stats/stats.h"

namespace gpubench {

constexpr std::size_t kResamples = 400;

/// Numbers below a bound; the distributions of the standard differ from library to library.
class Draws {
 public:
  std::size_t below(std::size_t bound) {
    // Half of a draw is enough for a position, and drawing is most of the work.
    drawn_ = has_half_ ? drawn_ >> 32 : random_();
    has_half_ = !has_half_;
    return static_cast<std::size_t>((drawn_ & 0xffffffff) * static_cast<std::uint64_t>(bound) >> 32);
  }

 private:
  std::mt19937_64 random_{1};
  std::uint64_t drawn_ = 0;
  bool has_half_ = false;
};

/// A sample in which every value knows its place in order, so that a resample is counted and never sorted.
struct Ranked {
  std::vector<double> sorted;
  std::vector<std::size_t> places;  ///< Of each value, as measured; equal ones share the first.
};

Ranked ranked(std::span<const double> values);

/// How often each place of a sample occurs in a resample.
using Counts = std::vector<std::uint32_t>;

/// The median of whole stretches of `block` neighbours (moving blocks, Künsch 1989,
/// doi:10.1214/aos/1176347265); single values are blocks of one. `counts` has a count for every value, to be
/// overwritten.
double resampled_median(const Ranked& sample, std::size_t block, Draws& draws, Counts& counts);

/// What is left of the figures of kResamples resamples without 2.5 % of them at either end.
Interval middle_of(std::vector<double> figures);

}  // namespace gpubench
