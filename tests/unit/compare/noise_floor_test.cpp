#include "gpubench/core/stats/estimate.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gpubench/core/stats/stats.h"
#include "support/catch.h"
#include "support/paths.h"
#include "unit/compare/simulated_comparison.h"

namespace gpubench::test {
namespace {

using nlohmann::json;

json reference() { return json::parse(std::ifstream(fixtures_dir() + "/statistics/scipy.json")); }

/// Part of the A/A comparisons that differ by less than a floor from ten other processes.
double part_below_floor(std::size_t repetitions) {
  constexpr int kRuns = 1000;
  Noise noise(repetitions);
  int below = 0;
  for (int run = 0; run < kRuns; ++run) {
    const Series calibration = simulated_processes(noise, 0.03, 1, 10);
    const double floor = noise_floor(calibration, static_cast<std::int64_t>(repetitions)).value().relative;
    const double before = median_of(simulated_processes(noise, 0.03, 1, repetitions));
    const double after = median_of(simulated_processes(noise, 0.03, 1, repetitions));
    if (std::abs(std::log(after / before)) < std::log1p(floor)) ++below;
  }
  return static_cast<double>(below) / kRuns;
}

/// Part of the medians of so many processes that are nearer to the long-run one than ten others tell.
double part_near_long_run(std::size_t processes) {
  constexpr int kRuns = 1000;
  Noise noise(processes);
  int near = 0;
  for (int run = 0; run < kRuns; ++run) {
    const Series calibration = simulated_processes(noise, 0.03, 1, 10);
    const NoiseFloor floor = noise_floor(calibration, static_cast<std::int64_t>(processes)).value();
    const double median = median_of(simulated_processes(noise, 0.03, 1, processes));
    if (std::abs(std::log(median)) < std::log1p(floor.one_side)) ++near;
  }
  return static_cast<double>(near) / kRuns;
}

const Series kFour{std::exp(0.01), std::exp(-0.01), std::exp(0.01), std::exp(-0.01)};

}  // namespace

TEST_CASE("nineteen of twenty A/A comparisons stay below the noise floor") {
  for (const std::size_t repetitions : {1u, 2u, 3u, 4u, 5u, 10u}) {
    INFO(repetitions << " repetitions");
    CHECK(part_below_floor(repetitions) > 0.93);
    CHECK(part_below_floor(repetitions) < 0.97);
  }
}

TEST_CASE("nineteen of twenty medians of one side are as near to the long-run one as a calibration says") {
  for (const std::size_t processes : {1u, 2u, 5u}) {
    INFO(processes << " processes");
    CHECK(part_near_long_run(processes) > 0.93);
    CHECK(part_near_long_run(processes) < 0.97);
  }
}

TEST_CASE("the noise floor of single processes is the scatter times Student's quantile and a root of two") {
  const NoiseFloor floor = noise_floor(kFour, 1).value();
  CHECK(floor.scatter == approx(0.01 * std::sqrt(4.0 / 3)));
  CHECK(floor.relative == approx(std::expm1(3.18245 * floor.scatter * std::sqrt(2.0))).epsilon(0.01));
}

TEST_CASE("more repetitions lower the noise floor as the exact variance of medians does, to 4 %") {
  const json exact = reference().at("variance_of_median");
  const double single = std::log1p(noise_floor(kFour, 1).value().relative);
  for (const auto& [repetitions, variance] : exact.items()) {
    INFO(repetitions << " repetitions");
    const double several = std::log1p(noise_floor(kFour, std::stoll(repetitions)).value().relative);
    CHECK(std::pow(several / single, 2) == approx(variance.get<double>()).epsilon(0.04));
  }
}

TEST_CASE("equal times have a noise floor of zero") {
  CHECK(noise_floor(Series(5, 0.25), 1).value().relative == approx(0));
}

TEST_CASE("too few processes, or one that took no time, have no noise floor") {
  CHECK_THAT(noise_floor(Series{1, 2, 3}, 5).reason(), contains_text("at least 4 processes"));
  CHECK_THAT(noise_floor(Series{1, 2, 3, 0}, 5).reason(), contains_text("no measurable time"));
  CHECK_THROWS_AS(noise_floor(kFour, 0), std::invalid_argument);
}

TEST_CASE("an estimate gets the arms of the floor where its own are shorter, and none where it has none") {
  const double floor = 0.25;
  CHECK(widened_to(floor, {2, absent("one epoch")}).interval.reason() == "one epoch");
  CHECK(widened_to(floor, {2, Interval{1.9, 3}}).interval.value() == Interval{1.6, 3});
  CHECK(widened_to(floor, {2, Interval{1.5, 2.1}}).interval.value() == Interval{1.5, 2.5});
}

}  // namespace gpubench::test
