#include "compare/gate.h"

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gpubench/core/collect.h"
#include "support/catch.h"

namespace gpubench::test::gate_test {
namespace {

/// Degrees of freedom of a distribution that is practically normal.
constexpr double kNormal = 1e6;

/// Returns a case with five processes per machine. `halfwidth` is that of the interval, in logarithms.
GateCase measured(const std::string& name, double slowdown, double halfwidth, double freedom = kNormal) {
  const Interval interval{slowdown * std::exp(-halfwidth), slowdown * std::exp(halfwidth)};
  return {name, {nullptr, 0.05}, {slowdown, interval}, freedom, 5};
}

GateCase without_interval(const std::string& name, double slowdown) {
  return {name, {nullptr, 0.05}, {slowdown, missing("a single epoch")}, 0, 1};
}

std::vector<GateCase> with_calm_ones(const GateCase& first, std::size_t count) {
  std::vector<GateCase> cases{first};
  while (cases.size() < count) cases.push_back(measured("calm", 1, 0.01));
  return cases;
}

/// Judgement of one group of cases.
struct Judged : GateGroup {
  GateVerdict answer;
};

Judged judge_with_mean(const std::vector<GateCase>& cases, const Estimate& mean) {
  const GateReport report = judge({{cases, {"mean", {nullptr, 0.05}, mean, kNormal, 5}}});
  return {report.groups.front(), report.answer};
}

/// Judges cases by the geometric mean of their losses.
Judged judge_all(const std::vector<GateCase>& cases) {
  return judge_with_mean(cases, compute_geometric_mean(mapped(cases, &GateCase::loss)));
}

GateVerdict format_verdict(const GateCase& only) { return judge_all({only}).answer; }

}  // namespace

TEST_CASE("a case is judged by the side of the threshold on which its interval lies") {
  CHECK(format_verdict(measured("mlp", 1.10, 0.04)) == GateVerdict::kRegression);
  CHECK(format_verdict(measured("mlp", 1.10, 0.05)) == GateVerdict::kInconclusive);
  CHECK(format_verdict(measured("mlp", 1.00, 0.04)) == GateVerdict::kPass);
  CHECK(format_verdict(measured("mlp", 1.00, 0.05)) == GateVerdict::kInconclusive);
  CHECK(format_verdict(measured("mlp", 0.50, 0.3)) == GateVerdict::kPass);
}

TEST_CASE("exact slowdowns are judged, except at the threshold") {
  CHECK(format_verdict(measured("mlp", 1.06, 0)) == GateVerdict::kRegression);
  CHECK(format_verdict(measured("mlp", 1.04, 0)) == GateVerdict::kPass);
  CHECK(format_verdict(measured("mlp", 1.05, 0)) == GateVerdict::kInconclusive);
}

TEST_CASE("a case without an interval is inconclusive, and has no number of repeats that decide it") {
  const Judged outcome = judge_all({without_interval("mlp", 2)});
  CHECK(outcome.answer == GateVerdict::kInconclusive);
  CHECK(outcome.cases[0].repetitions_to_decide == 0);
}

TEST_CASE("a regression among many cases needs more evidence") {
  const GateCase slow = measured("mlp", 1.10, 0.04);
  CHECK(judge_all({slow}).answer == GateVerdict::kRegression);
  const Judged among_many = judge_all(with_calm_ones(slow, 12));
  CHECK(among_many.cases[0].verdict == GateVerdict::kInconclusive);
  CHECK(among_many.answer == GateVerdict::kInconclusive);
  CHECK(judge_all(with_calm_ones(measured("mlp", 1.10, 0.02), 12)).answer == GateVerdict::kRegression);
}

TEST_CASE("a clear regression makes it easier to find the next one") {
  // log(1.10 / 1.05) / 0.038 half-widths are 2.40 standard deviations: enough among three, not among four.
  const GateCase doubtful = measured("doubtful", 1.10, 0.038);
  const GateCase clear = measured("clear", 1.5, 0.01);
  const std::vector<GateCase> none_clear{doubtful, measured("calm", 1, 0.01), measured("calm", 1, 0.01)};
  const std::vector<GateCase> two_clear{doubtful, clear, clear};
  CHECK(judge_all(none_clear).cases[0].verdict == GateVerdict::kInconclusive);
  CHECK(judge_all(two_clear).cases[0].verdict == GateVerdict::kRegression);
}

TEST_CASE("cases that are each slightly too slow regress together") {
  const std::vector<GateCase> cases(12, measured("mlp", 1.09, 0.05));
  const Judged outcome = judge_with_mean(cases, measured("mean", 1.09, 0.015).loss);
  CHECK(outcome.cases[0].verdict == GateVerdict::kInconclusive);
  CHECK(outcome.mean.verdict == GateVerdict::kRegression);
  CHECK(outcome.answer == GateVerdict::kRegression);
}

TEST_CASE("cases that may share a disturbance do not add to each other's evidence") {
  const std::vector<GateCase> cases(12, measured("mlp", 1.09, 0.05));
  CHECK(judge_all(cases).mean.verdict == GateVerdict::kInconclusive);
}

TEST_CASE("a noisy case measured below the threshold does not prevent a pass") {
  const Judged outcome = judge_all(with_calm_ones(measured("noisy", 1.02, 0.1), 12));
  CHECK(outcome.cases[0].verdict == GateVerdict::kInconclusive);
  CHECK(outcome.answer == GateVerdict::kPass);
}

TEST_CASE("a noisy case measured above the threshold prevents a pass") {
  const Judged outcome = judge_all(with_calm_ones(measured("noisy", 1.06, 0.1), 12));
  CHECK(outcome.mean.verdict == GateVerdict::kPass);
  CHECK(outcome.answer == GateVerdict::kInconclusive);
}

TEST_CASE("a case without an interval makes the mean and the comparison inconclusive") {
  const Judged outcome = judge_all(with_calm_ones(without_interval("mlp", 1), 12));
  CHECK(outcome.mean.verdict == GateVerdict::kInconclusive);
  CHECK(outcome.answer == GateVerdict::kInconclusive);
}

TEST_CASE("the repeats that decide a case grow with the square of half-width over distance") {
  const auto needed = [](double slowdown, double halfwidth) {
    return judge_all({measured("mlp", slowdown, halfwidth)}).cases[0].repetitions_to_decide;
  };
  const double distance = std::log(1.05);
  CHECK(needed(1, 2.001 * distance) == 21);
  CHECK(needed(1, 1.999 * distance) == 20);
  CHECK(needed(1, 1.001 * distance) == 6);
  CHECK(needed(1.05 * 1.05, 1.999 * distance) == 20);
  CHECK(needed(1.0499, 0.1) == 0);
  CHECK(needed(1.05, 0.1) == 0);
  CHECK(needed(1, 0.01) == 0);
}

TEST_CASE("a regression among many cases needs more evidence the fewer the degrees of freedom") {
  // The intervals are equal; only the tails of Student's distribution differ.
  const auto verdict = [](double freedom) {
    return judge_all(with_calm_ones(measured("mlp", 1.10, 0.028, freedom), 12)).cases[0].verdict;
  };
  CHECK(verdict(kNormal) == GateVerdict::kRegression);
  CHECK(verdict(8) == GateVerdict::kInconclusive);
}

TEST_CASE("groups of other metrics are judged by their own thresholds, and together") {
  GateCase slow = measured("mlp", 1.10, 0.01);
  const GateGroup time{{slow}, slow};
  slow.limit.threshold = 0.2;
  const GateGroup memory{{slow}, slow};
  CHECK(judge({memory}).answer == GateVerdict::kPass);
  CHECK(judge({memory, time}).answer == GateVerdict::kRegression);
}

TEST_CASE("a regression among many cases needs more repeats") {
  const GateCase slow = measured("mlp", 1.10, 0.06);
  const auto alone = judge_all({slow}).cases[0].repetitions_to_decide;
  CHECK(judge_all(with_calm_ones(slow, 12)).cases[0].repetitions_to_decide > alone);
}

}  // namespace gpubench::test::gate_test
