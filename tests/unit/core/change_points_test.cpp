// Changes in series of runs. For detection rates run gpubench_simulation changes.

#include <cmath>
#include <cstddef>
#include <fstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "gpubench/core/stats/change_points.h"
#include "support/catch.h"
#include "support/noise.h"
#include "support/paths.h"

namespace gpubench::test::change_points_test {
namespace {

using nlohmann::json;
using Runs = std::vector<double>;

/// Returns times around 1 that scatter by 1 %. From `first` to before `end` they are longer by `factor`.
Runs make_times(std::size_t count, std::size_t first, std::size_t end, double factor, unsigned seed = 3) {
  Noise noise(seed);
  Runs times;
  for (std::size_t i = 0; i < count; ++i)
    times.push_back(std::exp(0.01 * noise.normal()) * (first <= i && i < end ? factor : 1));
  return times;
}

}  // namespace

TEST_CASE("the best split is that of the reference implementation") {
  const json cases = json::parse(std::ifstream(fixtures_dir() + "/statistics/change_points.json"));
  CHECK(cases.size() == 50);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO("case " << i);
    const Runs values = cases[i].at("values");
    const SeriesSplit split = best_split(values, cases[i].at("fewest").get<std::size_t>());
    CHECK(split.position == cases[i].at("position").get<std::size_t>());
    CHECK(split.end == cases[i].at("end").get<std::size_t>());
    const double expected = cases[i].at("statistic").get<double>();
    CHECK(std::abs(split.statistic - expected) <= 1e-9 * std::abs(expected));
  }
}

TEST_CASE("the shortest and then the earliest of equal splits wins") {
  const SeriesSplit split = best_split(Runs{0, 1, 0, 1});
  CHECK(split.position == 1);
  CHECK(split.end == 2);
}

TEST_CASE("a split needs values on either side") {
  CHECK_THROWS_AS(best_split(Runs{1}), std::invalid_argument);
  CHECK_THROWS_AS(best_split(Runs{1, 2, 3}, 2), std::invalid_argument);
  CHECK_THROWS_AS(best_split(Runs{1, 2, 3}, 0), std::invalid_argument);
}

TEST_CASE("a change three runs ago is found at its position") {
  const std::vector<ChangePoint> changes = ChangeDetector(0.1).find(make_times(20, 17, 20, 1.1));
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].position == 17);
  CHECK(changes[0].p_value < 0.001);
}

TEST_CASE("a change and its reversal are both found") {
  std::vector<ChangePoint> changes = ChangeDetector(0.1).find(make_times(30, 10, 20, 1.1));
  REQUIRE(changes.size() == 2);
  CHECK(changes[0].position + changes[1].position == 30);
}

TEST_CASE("a single slow run is not a change") {
  CHECK(ChangeDetector(0).find(make_times(20, 12, 13, 2)).empty());
  CHECK(ChangeDetector(0).find(make_times(20, 19, 20, 2)).empty());
}

TEST_CASE("fewer than eight runs, or equal ones, have no change") {
  CHECK(ChangeDetector(0).clearest(make_times(7, 4, 7, 2)).p_value == 1);
  CHECK(ChangeDetector(0).clearest(Runs(20, 1.5)).p_value == 1);
  CHECK(ChangeDetector(0).find(Runs{}).empty());
}

TEST_CASE("values that are not all above 0 are compared without logarithms") {
  Runs runs = make_times(20, 10, 20, 1.2);
  for (double& run : runs) run -= 1;
  const std::vector<ChangePoint> changes = ChangeDetector(0.1).find(runs);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].position == 10);
}

TEST_CASE("the results of a detector do not depend on earlier calls") {
  const Runs runs = make_times(24, 16, 24, 1.02);
  ChangeDetector used(0.3);
  used.find(make_times(50, 20, 50, 1.1));
  CHECK(used.clearest(runs).p_value == ChangeDetector(0.3).clearest(runs).p_value);
}

TEST_CASE("a detector refuses an autocorrelation outside its range") {
  CHECK_THROWS_AS(ChangeDetector(-0.1), std::invalid_argument);
  CHECK_THROWS_AS(ChangeDetector(1), std::invalid_argument);
  CHECK_THROWS_AS(ChangeDetector(std::nan("")), std::invalid_argument);
}

TEST_CASE("without runs the estimated autocorrelation is high, and many runs correct it") {
  CHECK(pooled_autocorrelation({}) > 0.7);
  CHECK(pooled_autocorrelation(std::vector<Runs>(3, Runs(20, 1))) == pooled_autocorrelation({}));
  std::vector<Runs> machine;
  for (unsigned seed = 0; seed < 20; ++seed) machine.push_back(make_times(30, 15, 30, 1.1, seed));
  CHECK(pooled_autocorrelation(machine) <= 0.15);
}

TEST_CASE("Holm's procedure multiplies each p-value by the number of remaining ones") {
  CHECK(adjust_by_holm(Runs{}).empty());
  const Runs adjusted = adjust_by_holm(Runs{0.04, 0.01, 0.03, 0.5});
  const Runs expected{0.09, 0.04, 0.09, 0.5};
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(adjusted[i] == approx(expected[i]));
}

TEST_CASE("the interval of a change grows with the autocorrelation") {
  const Runs before = make_times(10, 0, 0, 1);
  const Runs after = make_times(5, 0, 5, 1.1, 4);
  const Estimate white = ratio_across_change(before, after, 0);
  const Estimate red = ratio_across_change(before, after, 0.6);
  CHECK(white == ratio_of_medians(after, before));
  CHECK(red.value == white.value);
  CHECK(std::log(red.interval.value().high / red.value) ==
        approx(2 * std::log(white.interval.value().high / white.value)));
  CHECK_FALSE(ratio_across_change(before, Runs{1, 1}, 0.6).interval.has_value());
}

}  // namespace gpubench::test::change_points_test
