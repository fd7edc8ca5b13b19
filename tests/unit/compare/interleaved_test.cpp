// Comparisons of sides measured in interleaved runs.

#include <cmath>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "compare/gate.h"
#include "compare/rows.h"
#include "gpubench/core/stats/stats.h"
#include "support/catch.h"
#include "support/compared_runs.h"
#include "support/sample_energy.h"

namespace gpubench::test::interleaved_test {
namespace {

using Series = std::vector<double>;

/// Times of the machine's rounds, equal for both sides.
const Series kRounds{1, 3, 1.5, 8, 2, 1, 5, 2.5};

/// Returns a side with one case per factor, which multiplies the times of the rounds.
RunRecord make_side(const std::string& side, const Series& factors, const Series& rounds = kRounds) {
  std::vector<CaseRecord> cases;
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    for (std::size_t i = 0; i < factors.size(); ++i) {
      cases.push_back(timed_case(i == 0 ? "mlp" : "cnn", 128, factors[i] * rounds[round], 0));
      cases.back().repeat = static_cast<std::int64_t>(round) + 1;
    }
  }
  RunRecord run = run_on("desk", "cpu", std::move(cases));
  run.plan.interleaved_run = std::string("2026-01-01T00-00-00Z-1");
  run.plan.variant = side;
  return run;
}

RunRecord in_precision(RunRecord run, Precision precision) {
  for (CaseRecord& record : run.cases) record.mode.precision = precision;
  return run;
}

/// Compares files of equal name, such as runs in several folders.
Comparison compared(const std::vector<RunRecord>& runs, std::optional<double> equality_margin = {}) {
  std::vector<Candidate> candidates;
  for (const RunRecord& run : runs) append(candidates, make_candidates(run, "run.json"));
  return compare(std::move(candidates), false, equality_margin);
}

const Pair& first_pair(const Comparison& comparison) { return comparison.versus_baseline.at(0).pairs.at(0); }

double log_width(const Estimate& ratio) {
  return std::log(ratio.interval.value().high / ratio.interval.value().low);
}

}  // namespace

TEST_CASE("changes of the machine between rounds do not affect ratios in interleaved runs") {
  const Comparison comparison = compared({make_side("A", {1.1}), make_side("B", {1})});
  const Estimate ratio = speed_ratio(first_pair(comparison)).value();
  CHECK(ratio.value == approx(1.1));
  CHECK(log_width(ratio) < 1e-9);

  RunRecord apart = make_side("B", {1});
  apart.plan.interleaved_run = std::string("2026-01-02T00-00-00Z-1");
  apart.tool.started_at = "2024-02-04T04:05:06Z";
  CHECK(log_width(speed_ratio(first_pair(compared({make_side("A", {1.1}), apart}))).value()) > 1);
}

TEST_CASE("rounds of only one side are ignored, and a few rounds have no interval") {
  RunRecord other = make_side("B", {1});
  other.cases.erase(other.cases.begin() + 1);
  other.cases.erase(other.cases.begin() + 4, other.cases.end());
  const Comparison comparison = compared({make_side("A", {2}), other});
  const Estimate four = speed_ratio(first_pair(comparison)).value();
  CHECK(four.value == approx(2));
  CHECK(four.interval.value().low == approx(2 / 1.25));

  other.cases.resize(2);
  const Comparison shorter = compared({make_side("A", {2}), other});
  const Estimate two = speed_ratio(first_pair(shorter)).value();
  CHECK(two.interval.reason() == "only 2 of the needed 4 rounds");

  other.cases.front().repeat = 20;
  other.cases.resize(1);
  const Comparison none = compared({make_side("A", {2}), other});
  CHECK(speed_ratio(first_pair(none)).value().interval.reason() == "the variants have no round in common");
}

TEST_CASE("the interval of the mean over cases is from means of rounds") {
  const Comparison comparison = compared({make_side("A", {4, 1}), make_side("B", {1, 1})});
  const std::vector<RowRatio> rows = row_ratios(comparison.versus_baseline.at(0));
  REQUIRE(rows.size() == 2);
  CHECK(compute_mean(rows).value == approx(2));
  CHECK(log_width(compute_mean(rows)) < 1e-9);
  CHECK(gate(comparison, {{nullptr, 0.05}}).groups.front().mean.loss.value == approx(0.5));
}

TEST_CASE("the ratio of energies in interleaved runs is the ratio of their rounds, too") {
  const auto metered = [](RunRecord run) {
    for (CaseRecord& record : run.cases) record = with_energy(record, 100, PowerScope::kCpuPackage);
    return run;
  };
  const Comparison comparison = compared({metered(make_side("A", {1.2})), metered(make_side("B", {1}))});
  CHECK(compute_ratio(find_metric("mean_epoch_joules", ""), first_pair(comparison)).value().value ==
        approx(1.2));
  CHECK(log_width(compute_ratio(find_metric("mean_epoch_joules", ""), first_pair(comparison)).value()) <
        1e-9);
  CHECK(compute_ratio(find_metric("energy_delay_product", ""), first_pair(comparison)).value().value ==
        approx(1.44));
  CHECK(log_width(compute_ratio(find_metric("energy_delay_product", ""), first_pair(comparison)).value()) <
        1e-9);
}

TEST_CASE("rows are paired by position, and intentional differences are not cautions") {
  const RunRecord plain = make_side("A", {2, 4});
  RunRecord fast = in_precision(make_side("B", {1, 1}), Precision::kAmpBf16);
  fast.environment.libtorch_version = "2.12.0";
  for (CaseRecord& record : fast.cases) record.batch_size = 256;
  const Comparison comparison = compared({plain, fast});
  const CandidatePair& versus = comparison.versus_baseline.at(0);
  REQUIRE(versus.pairs.size() == 2);
  for (const MetricClass one : {MetricClass::kTime, MetricClass::kMemory, MetricClass::kEnergy})
    CHECK(comparability_on(one, versus.pairs[0]) == Comparability::kComparable);
  CHECK(speed_ratio(versus.pairs[1]).value().value == approx(4));
  CHECK(full_name(*versus.other) ==
        "B (desk, cpu, Processor 9000, batch size 256, precision amp-bf16, LibTorch 2.12.0)");
  CHECK(full_name(*versus.base) ==
        "A (desk, cpu, Processor 9000, batch size 128, precision fp32, LibTorch 2.11.0)");

  RunRecord apart = fast;
  apart.plan.interleaved_run = missing("not in interleaved runs");
  apart.plan.variant = missing("not in interleaved runs");
  CHECK_FALSE(first_pair(compared({plain, apart})).is_common());
}

TEST_CASE("different work is refused in interleaved runs, too") {
  RunRecord other = make_side("B", {1});
  SECTION("another model") {
    for (CaseRecord& record : other.cases) record.model = "cnn";
  }
  SECTION("more parameters") {
    for (CaseRecord& record : other.cases) record.parameters = std::int64_t{2000};
  }
  SECTION("more samples") {
    for (CaseRecord& record : other.cases) record.train_samples = 60000;
  }
  RunRecord plain = make_side("A", {1});
  for (CaseRecord& record : plain.cases) record.parameters = std::int64_t{1000};
  CHECK(speed_ratio(first_pair(compared({plain, other}))).reason().starts_with("refused: "));
}

TEST_CASE("sides with different numbers of rows are paired by work") {
  const Comparison comparison = compared({make_side("A", {1, 1}), make_side("B", {1})});
  REQUIRE(comparison.versus_baseline.at(0).pairs.size() == 2);
  CHECK(comparison.versus_baseline[0].pairs[0].is_common());
  CHECK_FALSE(comparison.versus_baseline[0].pairs[1].is_common());
}

TEST_CASE("sides without recorded differences are distinguished by their names") {
  const Comparison comparison = compared({make_side("B", {1}), make_side("A", {1}), make_side("C", {1})});
  REQUIRE(comparison.versus_baseline.size() == 2);
  CHECK(full_name(*comparison.versus_baseline[0].base) == "B (desk, cpu, Processor 9000)");
  CHECK(full_name(*comparison.versus_baseline[1].other) == "C (desk, cpu, Processor 9000)");
}

TEST_CASE("sides in interleaved runs have no caution on the order of measuring") {
  const auto started = [](RunRecord run, const std::string& day) {
    for (CaseRecord& record : run.cases) record.started_at = day + "T00:00:00.000Z";
    return run;
  };
  const RunRecord first = started(make_side("A", {1}), "2024-02-03");
  RunRecord second = started(make_side("B", {1}), "2024-02-04");
  CHECK(compared({first, second}).versus_baseline.at(0).differences.empty());
  second.plan.interleaved_run = std::string("another");
  CHECK(compared({first, second}).versus_baseline.at(0).differences.front().what == "order of measuring");
}

}  // namespace gpubench::test::interleaved_test
