#include "compare/comparison.h"

#include <cmath>
#include <string>
#include <vector>

#include "gpubench/core/stats/stats.h"
#include "support/catch.h"
#include "unit/compare/timed_rows.h"

namespace gpubench::test::between_runs_test {
namespace {

using Series = std::vector<double>;

Candidate machine(const std::string& host) {
  Candidate candidate;
  candidate.host = host;
  candidate.device.name = "cpu";
  return candidate;
}

Estimate ratio_of_runs(const Candidate& a, const Series& over, const Candidate& b, const Series& under) {
  const ComparedRow one = timed_row(over);
  const ComparedRow other = timed_row(under);
  return make_ratio({&a, &one}, {&b, &other}, *one.metrics.front().metric).ratio;
}

}  // namespace

TEST_CASE("with three or more processes per side the interval is from their scatter") {
  const Series over{2.0, 2.1, 2.2};
  const Series under{1.0, 1.1, 1.05};
  const Candidate one = machine("a");
  const Interval expected = ratio_of_medians(over, under).interval.value();
  CHECK(ratio_of_runs(one, over, one, under).interval.value() == expected);
}

TEST_CASE("fewer processes have no interval, and the reason names their number") {
  const Candidate one = machine("a");
  const auto why = [&](const Series& over, const Series& under) {
    return ratio_of_runs(one, over, one, under).interval.reason();
  };
  CHECK(why({4}, {2}) == "one run each, may be chance");
  CHECK(why({4, 4}, {2, 2}) == "two runs each, may be chance");
  CHECK(why({4, 4, 4}, {2}) == "one run on one machine, may be chance");
}

TEST_CASE("published values have no interval, for any number of repeats") {
  Candidate published = machine("");
  published.published.emplace();
  CHECK(ratio_of_runs(machine("a"), {4}, published, {2}).interval.reason() ==
        "published values have no interval");
}

TEST_CASE("the margin is 5 %, 2 % in interleaved runs, or chosen by the user") {
  Candidate one = machine("a");
  CHECK(compute_margin(one, machine("a")) == 0.05);
  one.equality_margin = 0.01;
  CHECK(compute_margin(one, machine("a")) == 0.01);
  one.interleaved_run = "now";
  Candidate other = one;
  other.variant = "B";
  CHECK(compute_margin(one, other) == 0.01);
  one.equality_margin.reset();
  CHECK(compute_margin(one, other) == 0.02);
}

TEST_CASE("disturbances of a whole round do not average out over rows, which are matched by round") {
  // Rounds differ by a factor of two for both rows. The second row lists them in another order.
  const MetricSamples first = time_samples({1, 2, 4}, {1, 2, 3});
  const MetricSamples second = time_samples({40, 10, 20}, {3, 1, 2});
  const MetricSamples steady = time_samples({1, 1, 1}, {1, 2, 3});
  const std::vector<RowRatio> rows{{ratio_of_medians(first.costs, steady.costs), &first, &steady},
                                   {ratio_of_medians(second.costs, steady.costs), &second, &steady}};
  const Estimate mean = compute_mean(rows);
  const Estimate alone = rows.front().ratio;
  CHECK(mean.value == approx(std::sqrt(2 * 20)));
  CHECK(mean.interval.value().high / mean.value == approx(alone.interval.value().high / alone.value));
}

TEST_CASE("a mean over rounds lies between the ratios of its rows") {
  // Each row is slow in another round, so the mean of every round is far above the medians of the rows.
  const MetricSamples first = time_samples({9, 1, 1}, {1, 2, 3});
  const MetricSamples second = time_samples({1, 9, 1}, {1, 2, 3});
  const MetricSamples third = time_samples({1, 1, 9}, {1, 2, 3});
  const MetricSamples steady = time_samples({1, 1, 1}, {1, 2, 3});
  std::vector<RowRatio> rows;
  for (const MetricSamples* row : {&first, &second, &third})
    rows.push_back({ratio_of_medians(row->costs, steady.costs), row, &steady});
  for (const Measuring measuring : {Measuring::kMixed, Measuring::kApart, Measuring::kInterleaved}) {
    for (RowRatio& row : rows) row.measuring = measuring;
    CHECK(compute_mean(rows).value == approx(1));
  }
}

TEST_CASE("noise of single rows averages out in the means of rounds") {
  const MetricSamples up = time_samples({1, 2, 4}, {1, 2, 3});
  const MetricSamples down = time_samples({4, 2, 1}, {1, 2, 3});
  const MetricSamples steady = time_samples({1, 1, 1}, {1, 2, 3});
  const std::vector<RowRatio> rows{{ratio_of_medians(up.costs, steady.costs), &up, &steady},
                                   {ratio_of_medians(down.costs, steady.costs), &down, &steady}};
  const Interval interval = compute_mean(rows).interval.value();
  CHECK(interval.low == approx(2));
  CHECK(interval.high == approx(2));
}

TEST_CASE("the mean of rows that share fewer than three rounds has the mean width of their intervals") {
  const MetricSamples early = time_samples({1, 2, 4}, {1, 2, 3});
  const MetricSamples late = time_samples({1, 2, 4}, {3, 4, 5});
  const std::vector<RowRatio> rows{{{2, Interval{1, 4}}, &early, &early},
                                   {{2, Interval{1, 4}}, &late, &late}};
  CHECK(compute_mean(rows).interval.value().low == approx(1));
  CHECK(compute_mean(rows).interval.value().high == approx(4));
}

TEST_CASE("sides are equal only if the whole interval lies within the margin") {
  CHECK(decide_outcome({1, Interval{1 / 1.04, 1.04}}) == Outcome::kEqual);
  CHECK(decide_outcome({1, Interval{1 / 1.04, 1.06}}) == Outcome::kInconclusive);
  CHECK(decide_outcome({1, Interval{1 / 1.06, 1.04}}) == Outcome::kInconclusive);
  CHECK(decide_outcome({1, Interval{1 / 1.06, 1.06}}, 0.07) == Outcome::kEqual);
  CHECK(decide_outcome({1.15, Interval{0.7, 1.9}}) == Outcome::kInconclusive);
}

}  // namespace gpubench::test::between_runs_test
