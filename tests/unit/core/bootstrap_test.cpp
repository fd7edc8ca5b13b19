#include "gpubench/core/stats/stats.h"

#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "support/catch.h"
#include "support/noise.h"

namespace gpubench::test::bootstrap_test {
namespace {

using Series = std::vector<double>;
using IntervalOf = Measured<Interval> (*)(std::span<const double>);

double width(const Measured<Interval>& interval) { return interval.value().high - interval.value().low; }

/// Returns nearly normal values around a median of 10: sums of twelve uniform numbers.
Series normal_values(std::size_t count, std::mt19937_64& random) {
  Series values(count, 4);
  for (double& value : values) {
    for (int i = 0; i < 12; ++i) value += static_cast<double>(random() >> 11) * 0x1p-53;
  }
  return values;
}

double coverage(IntervalOf compute_interval, std::size_t count) {
  constexpr int kRuns = 400;
  std::mt19937_64 random(count);
  int covered = 0;
  for (int run = 0; run < kRuns; ++run) {
    const Interval interval = compute_interval(normal_values(count, random)).value();
    if (interval.low <= 10 && 10 <= interval.high) ++covered;
  }
  return static_cast<double>(covered) / kRuns;
}

constexpr std::size_t kBlocks = 10;

/// Returns the autocorrelated blocks of epochs, with a mean of 10 per block.
Series autocorrelated_blocks(Noise& noise, std::size_t epochs, double autocorrelation) {
  Series blocks;
  double state = noise.normal();
  while (blocks.size() < epochs * kBlocks) {
    blocks.push_back(10 + state);
    state = autocorrelation * state + std::sqrt(1 - autocorrelation * autocorrelation) * noise.normal();
  }
  return blocks;
}

Series list_epochs(const Series& blocks) {
  Series epochs;
  for (std::size_t i = 0; i < blocks.size(); i += kBlocks)
    epochs.push_back(std::accumulate(&blocks[i], &blocks[i] + kBlocks, 0.0));
  return epochs;
}

/// Returns the fraction of the runs whose interval by blocks contains the long-run median of epochs.
double coverage_by_blocks(std::size_t epochs, double autocorrelation) {
  constexpr int kRuns = 500;
  Noise noise(epochs);
  int covered = 0;
  for (int run = 0; run < kRuns; ++run) {
    const Series blocks = autocorrelated_blocks(noise, epochs, autocorrelation);
    const Interval interval = median_interval_by_parts(list_epochs(blocks), blocks).value();
    if (interval.low <= 100 && 100 <= interval.high) ++covered;
  }
  return static_cast<double>(covered) / kRuns;
}

}  // namespace

TEST_CASE("95 % of the intervals contain the median, for few values and for many") {
  for (const std::size_t count : {3u, 4u, 5u, 8u, 20u, 50u}) {
    INFO(count << " values");
    CHECK(coverage(median_interval, count) >= 0.93);
    CHECK(coverage(median_interval_of_independent, count) >= 0.93);
  }
}

TEST_CASE("95 % of the intervals by blocks contain the long-run median at any autocorrelation") {
  for (const double autocorrelation : {0.0, 0.3, 0.6, 0.9}) {
    INFO("autocorrelation " << autocorrelation);
    CHECK(coverage_by_blocks(4, autocorrelation) >= 0.93);
    CHECK(coverage_by_blocks(9, autocorrelation) >= 0.93);
  }
  CHECK(coverage_by_blocks(2, 0.6) >= 0.93);
}

TEST_CASE("blocks narrow the interval of four epochs, and give a single epoch an interval") {
  Noise noise(1);
  double by_blocks = 0;
  double by_epochs = 0;
  for (int run = 0; run < 50; ++run) {
    const Series blocks = autocorrelated_blocks(noise, 4, 0);
    by_blocks += width(median_interval_by_parts(list_epochs(blocks), blocks));
    by_epochs += width(median_interval(list_epochs(blocks)));
  }
  CHECK(by_blocks < 0.5 * by_epochs);
  const Series one = autocorrelated_blocks(noise, 1, 0);
  CHECK(median_interval_by_parts(list_epochs(one), one).has_value());
}

TEST_CASE("parts may be rates, and too few parts give the interval of the values") {
  Noise noise(2);
  const Series blocks = autocorrelated_blocks(noise, 4, 0);
  Series rates = blocks;
  for (double& rate : rates) rate /= 7;
  const Series epochs = list_epochs(blocks);
  CHECK(median_interval_by_parts(epochs, rates).value().low ==
        approx(median_interval_by_parts(epochs, blocks).value().low));
  CHECK(median_interval_by_parts(epochs, Series{1, 2}) == median_interval(epochs));
  CHECK(median_interval_by_parts(epochs, Series(8, 0.0)) == median_interval(epochs));
}

TEST_CASE("the interval scales with its values") {
  const Series values{1.02, 0.98, 1.0, 1.05, 0.97, 1.01};
  Series scaled = values;
  for (double& value : scaled) value *= 8;
  CHECK(median_interval(scaled).value().low == approx(8 * median_interval(values).value().low));
  CHECK(median_interval(scaled).value().high == approx(8 * median_interval(values).value().high));
}

TEST_CASE("95 % of the intervals of 2,500 values contain the median") {
  CHECK(coverage(median_interval, 2500) >= 0.93);
}

TEST_CASE("autocorrelated values have a wider interval") {
  Series mixed;
  Series drifting;
  for (int i = 0; i < 40; ++i) mixed.push_back(10 + (i * 17) % 40);
  for (int i = 0; i < 40; ++i) drifting.push_back(10 + (i < 20 ? 2 * i : 79 - 2 * i));
  CHECK(width(median_interval(drifting)) > 1.5 * width(median_interval(mixed)));
}

TEST_CASE("the size of a spike among eleven values does not change the interval") {
  Series spiked{1.00, 1.02, 0.99, 1.01, 0.98, 1.03, 1.00, 1.01, 0.99, 1.04, 1.0};
  const double calm = width(median_interval(spiked));
  spiked[9] = 40;
  const double by_spike = width(median_interval(spiked));
  CHECK(by_spike < 2 * calm);
  spiked[9] = 4000;
  CHECK(width(median_interval(spiked)) == approx(by_spike));
}

TEST_CASE("equal values have an interval without width") {
  CHECK(median_interval(Series(7, 0.25)).value() == Interval{0.25, 0.25});
  CHECK(median_interval_of_independent(Series(3, 0.25)).value() == Interval{0.25, 0.25});
}

TEST_CASE("an interval of times does not extend below zero, but one of signed values may") {
  CHECK(median_interval(Series{0.1, 0.5, 3}).value().low == 0);
  CHECK(median_interval(Series{-1, 0.5, 3}).value().low < -1);
}

TEST_CASE("fewer than three values have no interval, and the reason names the required number") {
  CHECK_THAT(median_interval(Series{1, 2}).reason(), contains_text("at least 3 values"));
  CHECK_THAT(median_interval_of_independent(Series{}).reason(), contains_text("at least 3 values"));
  CHECK(median_interval(Series{1, 2, 3}).has_value());
}

}  // namespace gpubench::test::bootstrap_test
