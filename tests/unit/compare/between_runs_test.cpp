#include "compare/between_runs.h"

#include <cmath>
#include <string>
#include <vector>

#include "gpubench/core/stats/bootstrap.h"
#include "support/catch.h"

namespace gpubench::test {
namespace {

using Series = std::vector<double>;

const Series kCalm{4, 4.01, 3.99, 4, 4.02, 3.98};
const Series kNoisy{4, 5, 3.5, 4.4, 4.8, 3.9};

Contender machine(const std::string& host, Reading<Series> calibration) {
  Contender contender;
  contender.host = host;
  contender.device.name = "cpu";
  contender.device.calibration_seconds = std::move(calibration);
  return contender;
}

/// A row whose median is known within its processes to 1 %, in rounds from 1 on.
RowFigures row_of(const Series& seconds) {
  RowFigures row{RowIdentity{{}}};
  for (const double one : seconds) row.process_seconds.add(std::ssize(row.process_seconds.values) + 1, one);
  const double median = median_of(seconds);
  row.seconds = Estimate{median, Interval{median / 1.01, median * 1.01}};
  return row;
}

Estimate ratio_of_runs(const Contender& a, const Series& over, const Contender& b, const Series& under) {
  const RowFigures one = row_of(over);
  const RowFigures other = row_of(under);
  return ratio_of_times({&a, &one}, {&b, &other});
}

double floor_of(const Series& calibration, std::int64_t processes) {
  return noise_floor(calibration, processes).value().relative;
}

/// What a verdict takes.
double wide_floor_of(const Series& calibration, std::int64_t processes) {
  return noise_floor(calibration, processes).value().of_99;
}

}  // namespace

TEST_CASE("from three processes a side on the interval is that of their scatter, calibrated or not") {
  const Series over{2.0, 2.1, 2.2};
  const Series under{1.0, 1.1, 1.05};
  const Contender plain = machine("a", absent("not calibrated"));
  const Interval expected = ratio_of_medians(over, under).interval.value();
  CHECK(ratio_of_runs(plain, over, plain, under).interval.value() == expected);
  const Contender noisy = machine("a", kNoisy);
  CHECK(ratio_of_runs(noisy, over, noisy, under).interval.value() == expected);
}

TEST_CASE(
    "below three processes 99 of 100 equal comparisons on the noisier machine widen, for the smaller "
    "number") {
  const Contender calm = machine("a", kCalm);
  const Contender noisy = machine("b", kNoisy);
  const Interval one = ratio_of_runs(calm, {4}, noisy, {2, 2, 2}).interval.value();
  CHECK(one.low == approx(2 / (1 + wide_floor_of(kNoisy, 1))));
  CHECK(one.high == approx(2 * (1 + wide_floor_of(kNoisy, 1))));
  const Interval two = ratio_of_runs(noisy, {4, 4}, calm, {2, 2}).interval.value();
  CHECK(two.high == approx(2 * (1 + wide_floor_of(kNoisy, 2))));
}

TEST_CASE("what is no time has no interval below three processes, whatever the calibration says") {
  const Contender calm = machine("a", kCalm);
  const RowFigures row = row_of({4});
  const Estimate& figure = row.seconds.value();
  const auto ratio = [&](bool is_time) {
    return ratio_between({calm, figure, row.process_seconds, is_time},
                         {calm, figure, row.process_seconds, is_time}, Measuring::kMixed);
  };
  CHECK(ratio(true).interval.has_value());
  CHECK(ratio(false).interval.reason() == "one process a side, uncertainty between runs unknown");
}

TEST_CASE("without a calibration there is no interval, and the reason says how many processes there were") {
  const Contender plain = machine("a", absent("not calibrated"));
  const auto why = [&](const Series& over, const Series& under) {
    return ratio_of_runs(plain, over, plain, under).interval.reason();
  };
  CHECK(why({4}, {2}) == "one process a side, uncertainty between runs unknown");
  CHECK(why({4, 4}, {2, 2}) == "two processes a side, uncertainty between runs unknown");
  CHECK(why({4, 4, 4}, {2}) == "one process on a side, uncertainty between runs unknown");
}

TEST_CASE("published figures have no interval, and no repetition would give them one") {
  Contender published = machine("", absent("not calibrated"));
  published.publication = "A paper";
  CHECK(ratio_of_runs(machine("a", kCalm), {4}, published, {2}).interval.reason() ==
        "published figures, uncertainty between runs unknown");
}

TEST_CASE("a calibrated machine stands for itself, and for no other one") {
  const Contender plain = machine("a", absent("not calibrated"));
  CHECK(noise_floor_of(machine("a", kCalm), plain, 1).value() == approx(floor_of(kCalm, 1)));
  CHECK(noise_floor_of(plain, machine("a", kCalm), 1).value() == approx(floor_of(kCalm, 1)));
  CHECK(noise_floor_of(machine("b", kCalm), plain, 1).reason() == "not both machines were calibrated");
}

TEST_CASE("the margin is 5 %, or the noise floor where that is larger") {
  CHECK(margin_of(machine("a", kCalm), machine("a", kCalm), 5) == 0.05);
  CHECK(margin_of(machine("a", kNoisy), machine("a", kCalm), 5) == approx(floor_of(kNoisy, 5)));
}

TEST_CASE("the margin that is asked for takes the place of both, and of that in alternation") {
  Contender one = machine("a", kNoisy);
  one.equality_margin = 0.01;
  CHECK(margin_of(one, machine("a", kCalm), 5) == 0.01);
  one.alternation = "now";
  Contender other = one;
  other.side = "B";
  CHECK(margin_of(one, other, 5) == 0.01);
  one.equality_margin.reset();
  CHECK(margin_of(one, other, 5) == 0.02);
}

TEST_CASE("what slows a whole round does not average away over rows, and rows are matched by their round") {
  // Rounds differ by a factor of two for both rows alike; the second row lists them in another order.
  RoundFigures first{{1, 2, 3}, {1, 2, 4}};
  RoundFigures second{{3, 1, 2}, {40, 10, 20}};
  RoundFigures steady{{1, 2, 3}, {1, 1, 1}};
  const std::vector<RoundRatio> rows{{ratio_of_medians(first.values, steady.values), &first, &steady},
                                     {ratio_of_medians(second.values, steady.values), &second, &steady}};
  const Estimate mean = mean_of_rounds(rows);
  const Estimate alone = rows.front().ratio;
  CHECK(mean.value == approx(std::sqrt(2 * 20)));
  CHECK(mean.interval.value().high / mean.value == approx(alone.interval.value().high / alone.value));
}

TEST_CASE("noise of single rows averages away where rounds tell it") {
  RoundFigures up{{1, 2, 3}, {1, 2, 4}};
  RoundFigures down{{1, 2, 3}, {4, 2, 1}};
  RoundFigures steady{{1, 2, 3}, {1, 1, 1}};
  const std::vector<RoundRatio> rows{{ratio_of_medians(up.values, steady.values), &up, &steady},
                                     {ratio_of_medians(down.values, steady.values), &down, &steady}};
  const Interval interval = mean_of_rounds(rows).interval.value();
  CHECK(interval.low == approx(2));
  CHECK(interval.high == approx(2));
}

TEST_CASE("rows that share fewer than three rounds have the mean of their arms") {
  RoundFigures early{{1, 2, 3}, {1, 2, 4}};
  RoundFigures late{{3, 4, 5}, {1, 2, 4}};
  const std::vector<RoundRatio> rows{{{2, Interval{1, 4}}, &early, &early},
                                     {{2, Interval{1, 4}}, &late, &late}};
  CHECK(mean_of_rounds(rows).interval.value().low == approx(1));
  CHECK(mean_of_rounds(rows).interval.value().high == approx(4));
}

}  // namespace gpubench::test
