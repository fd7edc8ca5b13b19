#include "compare/ranking.h"

#include <cmath>
#include <string>
#include <vector>

#include "compare/rows.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"
#include "support/catch.h"
#include "support/compared_runs.h"
#include "support/noise.h"

namespace gpubench::test::ranking_test {
namespace {

using Ranks = std::vector<std::optional<RankInterval>>;

constexpr double kNormal = 1e6;  // Degrees of freedom of a distribution that is practically normal.

/// Machine with a known error of its speed.
struct Machine {
  double speed;
  double deviation;  ///< Standard error of the logarithm of the speed.
};

/// Returns all pairs of machines that were measured independently.
std::vector<RankTest> make_tests(const std::vector<Machine>& machines) {
  std::vector<RankTest> tests;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    for (std::size_t j = i + 1; j < machines.size(); ++j) {
      const double ratio = machines[j].speed / machines[i].speed;
      const double arm = kNormalScore * std::hypot(machines[i].deviation, machines[j].deviation);
      tests.push_back({i, j, {ratio, Interval{ratio * std::exp(-arm), ratio * std::exp(arm)}}, kNormal});
    }
  }
  return tests;
}

/// Returns the run of a machine with five repeats of one case, whose times scatter by 3 %.
RunRecord noisy_run(Noise& noise, const std::string& host, double seconds) {
  RunRecord run = run_on(host, "cpu", {});
  for (std::int64_t repeat = 1; repeat <= 5; ++repeat) {
    CaseRecord record = timed_case("mlp", 32, seconds * std::exp(0.03 * noise.normal()), 0);
    record.device = "cpu";
    record.repeat = repeat;
    run.cases.push_back(record);
  }
  return run;
}

Comparison compared(const std::vector<RunRecord>& runs, bool is_forced = false) {
  std::vector<Candidate> candidates;
  for (const RunRecord& run : runs) append(candidates, make_candidates(run, run.environment.host + ".json"));
  return compare(std::move(candidates), is_forced);
}

/// Returns the fraction of the tables of `count` machines for which `holds` returns true. The first machine
/// takes `seconds`, the others one second.
template <class Holds>
double rate(std::size_t count, double seconds, int tables, Holds holds) {
  Noise noise(11);
  int found = 0;
  for (int i = 0; i < tables; ++i) {
    std::vector<RunRecord> runs;
    while (runs.size() < count)
      runs.push_back(noisy_run(noise, "m" + std::to_string(runs.size()), runs.empty() ? seconds : 1));
    const Comparison comparison = compared(runs);
    if (holds(rank_candidates(comparison).front())) ++found;
  }
  return static_cast<double>(found) / tables;
}

}  // namespace

// Five machines, two of them noisy: shared/exchange.md, section 5, has the p-values of all pairs.
TEST_CASE("ranks are intervals from the decisions on all pairs") {
  const std::vector<Machine> machines = {{1, 0.06}, {0.93, 0.01}, {0.88, 0.01}, {0.86, 0.06}, {0.70, 0.01}};
  CHECK(decide_ranks(5, make_tests(machines)) == Ranks{{{1, 4}}, {{1, 3}}, {{2, 4}}, {{1, 4}}, {{5, 5}}});
  // Too different to be pooled.
  CHECK(decide_ranks(5, make_tests(machines), 20) == decide_ranks(5, make_tests(machines)));
}

TEST_CASE("a machine without an interval has no rank, and does not affect others") {
  std::vector<RankTest> tests = make_tests({{1, 0.01}, {0.5, 0.01}});
  tests.push_back({0, 2, {0.1, missing("one run each")}, 0});
  tests.push_back({1, 2, {0.2, missing("one run each")}, 0});
  CHECK(decide_ranks(3, tests) == Ranks{{{1, 2}}, {{2, 3}}, {}});
}

TEST_CASE("pooled scatter decides no pair whose own interval includes 1") {
  std::vector<RankTest> tests = make_tests({{1, 0.02}, {0.94, 0.03}, {0.5, 0.01}});
  CHECK(decide_ranks(3, tests, kNormal)[0] == RankInterval{1, 2});
}

TEST_CASE("equal machines may have any rank") {
  for (const std::size_t count : {3U, 5U, 10U}) {
    INFO(count << " machines");
    const auto is_open = [&](const Ranking& ranking) {
      return std::ranges::all_of(ranking.candidates, [&](const RankedCandidate& one) {
        return one.rank == RankInterval{1, count};
      });
    };
    CHECK(rate(count, 1, count == 10 ? 60 : 200, is_open) >= 0.95);
  }
}

TEST_CASE("a machine 20 % faster than four others, at a scatter of 3 %, is alone at rank 1") {
  const auto is_first = [](const Ranking& ranking) {
    const RankedCandidate& one = ranking.candidates.front();
    return one.candidate->name == "m0" && one.rank == RankInterval{1, 1};
  };
  CHECK(rate(5, 1 / 1.2, 1000, is_first) >= 0.9);
}

TEST_CASE("rows that a pair refuses are not ranked together") {
  Noise noise(3);
  const RunRecord one = noisy_run(noise, "one", 1);
  RunRecord few = noisy_run(noise, "few", 0.1);
  for (CaseRecord& record : few.cases) record.train_samples = 5000;
  const Comparison comparison = compared({one, few, noisy_run(noise, "three", 2)});
  const std::vector<Ranking> rankings = rank_candidates(comparison);
  REQUIRE(rankings.size() == 1);
  CHECK(mapped(rankings.front().candidates, [](const auto& row) { return row.candidate->name; }) ==
        std::vector<std::string>{"one", "three"});
  // Forced, they are compared per sample.
  const Comparison forced = compared({one, few}, /*is_forced=*/true);
  CHECK(rank_candidates(forced).front().candidates.front().relative.value == approx(1).epsilon(0.05));
}

TEST_CASE("a row without a number of samples is ranked by the epoch time, never by a mixture of units") {
  Noise noise(3);
  RunRecord unknown = noisy_run(noise, "unknown", 0.5);
  for (CaseRecord& record : unknown.cases) record.train_samples = 0;
  const Comparison comparison = compared({noisy_run(noise, "one", 1), unknown, noisy_run(noise, "three", 2)});
  const Ranking ranking = rank_candidates(comparison).front();
  CHECK(ranking.metric->key == "median_epoch_seconds");
  REQUIRE(ranking.candidates.size() == 3);
  CHECK(ranking.candidates.front().candidate->name == "unknown");
  CHECK(ranking.candidates.front().relative.value == approx(2).epsilon(0.1));
}

TEST_CASE("cases are ranked together for the machines that have all of them") {
  const Comparison comparison = compared({repeated(laptop_run()), repeated(desk_run()),
                                          repeated(run_on("third", "cpu", {timed_case("lstm", 128, 9, 0)}))});
  const std::vector<Ranking> rankings = rank_candidates(comparison);
  REQUIRE(rankings.size() == 2);
  CHECK(rankings[0].works.size() == 3);
  CHECK(rankings[0].candidates.front().relative.value == approx(10));
  CHECK(rankings[1].works.size() == 1);
  CHECK(rankings[1].reference->name == "desk");
}

TEST_CASE("Student's p-values are those of tables") {
  CHECK(student_p_value(12.706, 1) == approx(0.05).epsilon(1e-3));
  CHECK(student_p_value(2.306, 8) == approx(0.05).epsilon(1e-3));
  CHECK(student_p_value(3.355, 8) == approx(0.01).epsilon(1e-3));
  CHECK(student_p_value(-3.355, 8) == approx(0.01).epsilon(1e-3));
  CHECK(student_p_value(0.5, 4) == approx(0.6433).epsilon(1e-3));
  CHECK(student_p_value(kNormalScore, 1e6) == approx(0.05).epsilon(1e-4));
  CHECK(student_p_value(0, 5) == 1);
  for (const double freedom : {1.0, 2.0, 3.5, 8.0, 100.0, 1e6})
    CHECK(student_p_value(student_quantile(freedom), freedom) == approx(0.05));
}

}  // namespace gpubench::test::ranking_test
