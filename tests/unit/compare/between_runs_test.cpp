#include "compare/comparison.h"

#include <cmath>
#include <string>
#include <vector>

#include "gpubench/core/stats/stats.h"
#include "support/catch.h"

namespace gpubench::test::between_runs_test {
namespace {

using Series = std::vector<double>;

Candidate machine(const std::string& host) {
  Candidate candidate;
  candidate.host = host;
  candidate.device.name = "cpu";
  return candidate;
}

/// Returns a row with one process per round, and a median that is known to 1 % within the processes.
RowFigures to_row(const Series& seconds) {
  RowFigures row{RowIdentity{{}}};
  for (const double one : seconds) row.process_seconds.add(std::ssize(row.process_seconds.values) + 1, one);
  const double median = compute_median(seconds);
  row.seconds = Estimate{median, Interval{median / 1.01, median * 1.01}};
  return row;
}

Estimate ratio_of_runs(const Candidate& a, const Series& over, const Candidate& b, const Series& under) {
  const RowFigures one = to_row(over);
  const RowFigures other = to_row(under);
  return make_ratio({&a, &one}, {&b, &other}).ratio;
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
  CHECK(why({4, 4, 4}, {2}) == "one run on a side, may be chance");
}

TEST_CASE("published figures have no interval, for any number of repeats") {
  Candidate published = machine("");
  published.published.emplace();
  CHECK(ratio_of_runs(machine("a"), {4}, published, {2}).interval.reason() ==
        "published figures have no interval");
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
  RoundFigures first{{1, 2, 3}, {1, 2, 4}};
  RoundFigures second{{3, 1, 2}, {40, 10, 20}};
  RoundFigures steady{{1, 2, 3}, {1, 1, 1}};
  const std::vector<RowRatio> rows{{ratio_of_medians(first.values, steady.values), &first, &steady},
                                   {ratio_of_medians(second.values, steady.values), &second, &steady}};
  const Estimate mean = compute_mean(rows);
  const Estimate alone = rows.front().ratio;
  CHECK(mean.value == approx(std::sqrt(2 * 20)));
  CHECK(mean.interval.value().high / mean.value == approx(alone.interval.value().high / alone.value));
}

TEST_CASE("a mean over rounds lies between the ratios of its rows") {
  // Each row is slow in another round, so the mean of every round is far above the medians of the rows.
  RoundFigures first{{1, 2, 3}, {9, 1, 1}};
  RoundFigures second{{1, 2, 3}, {1, 9, 1}};
  RoundFigures third{{1, 2, 3}, {1, 1, 9}};
  RoundFigures steady{{1, 2, 3}, {1, 1, 1}};
  std::vector<RowRatio> rows;
  for (const RoundFigures* row : {&first, &second, &third})
    rows.push_back({ratio_of_medians(row->values, steady.values), row, &steady});
  for (const Measuring measuring : {Measuring::kMixed, Measuring::kApart, Measuring::kInterleaved}) {
    for (RowRatio& row : rows) row.measuring = measuring;
    CHECK(compute_mean(rows).value == approx(1));
  }
}

TEST_CASE("noise of single rows averages out in the means of rounds") {
  RoundFigures up{{1, 2, 3}, {1, 2, 4}};
  RoundFigures down{{1, 2, 3}, {4, 2, 1}};
  RoundFigures steady{{1, 2, 3}, {1, 1, 1}};
  const std::vector<RowRatio> rows{{ratio_of_medians(up.values, steady.values), &up, &steady},
                                   {ratio_of_medians(down.values, steady.values), &down, &steady}};
  const Interval interval = compute_mean(rows).interval.value();
  CHECK(interval.low == approx(2));
  CHECK(interval.high == approx(2));
}

TEST_CASE("the mean of rows that share fewer than three rounds has the mean width of their intervals") {
  RoundFigures early{{1, 2, 3}, {1, 2, 4}};
  RoundFigures late{{3, 4, 5}, {1, 2, 4}};
  const std::vector<RowRatio> rows{{{2, Interval{1, 4}}, &early, &early},
                                   {{2, Interval{1, 4}}, &late, &late}};
  CHECK(compute_mean(rows).interval.value().low == approx(1));
  CHECK(compute_mean(rows).interval.value().high == approx(4));
}

TEST_CASE("sides are equal only if the whole interval lies within the margin") {
  CHECK(decide_outcome({1, Interval{1 / 1.04, 1.04}}) == Outcome::kEqual);
  CHECK(decide_outcome({1, Interval{1 / 1.04, 1.06}}) == Outcome::kUndecided);
  CHECK(decide_outcome({1, Interval{1 / 1.06, 1.04}}) == Outcome::kUndecided);
  CHECK(decide_outcome({1, Interval{1 / 1.06, 1.06}}, 0.07) == Outcome::kEqual);
  CHECK(decide_outcome({1.15, Interval{0.7, 1.9}}) == Outcome::kUndecided);
}

}  // namespace gpubench::test::between_runs_test
