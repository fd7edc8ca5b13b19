// Ratios of energy, and reasons for missing ratios.

#include "compare/comparison.h"
#include "compare/rows.h"
#include "gpubench/core/stats/stats.h"
#include "pages/sections.h"
#include "support/catch.h"
#include "support/compared_runs.h"
#include "support/sample_energy.h"

namespace gpubench::test::energy_test {
namespace {

Comparison compared(const RunRecord& a, const RunRecord& b, bool is_forced = false) {
  std::vector<Candidate> candidates = make_candidates(a, "a.json");
  for (Candidate& candidate : make_candidates(b, "b.json")) candidates.push_back(std::move(candidate));
  return compare(std::move(candidates), is_forced);
}

const Pair& first_pair(const Comparison& comparison) { return comparison.versus_baseline.at(0).pairs.at(0); }

Measured<Estimate> compute_energy(const Comparison& comparison) {
  return compute_ratio(find_metric("mean_epoch_joules", ""), first_pair(comparison));
}

Measured<Estimate> compute_energy_delay(const Comparison& comparison) {
  return compute_ratio(find_metric("energy_delay_product", ""), first_pair(comparison));
}

Comparability decide_comparability(const Comparison& comparison) {
  return comparability_on(MetricClass::kEnergy, first_pair(comparison));
}

/// Returns a run of mlp on a GPU with epochs of `epoch` seconds at `watts`.
RunRecord run_at(double epoch, double watts, PowerScope scope = PowerScope::kGpuBoard) {
  RunRecord run = run_on("a", "cuda:0", {timed_case("mlp", 32, epoch, 0)});
  run.cases.front() = with_energy(run.cases.front(), watts, scope);
  return run;
}

EnergyRecord& make_source(RunRecord& run) { return run.cases.front().energy.front(); }

/// Returns a run with one repeat per pair of epoch time and power.
RunRecord repeated(const std::vector<double>& seconds, const std::vector<double>& watts) {
  RunRecord run = run_on("a", "cuda:0", {});
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    CaseRecord record = run_at(seconds[i], watts[i]).cases.front();
    record.repeat = static_cast<std::int64_t>(i + 1);
    run.cases.push_back(record);
  }
  return run;
}

const ComparedRow& only_case(const Candidate& candidate) { return candidate.rows.at(0); }

}  // namespace

TEST_CASE("the energy-delay product uses the mean epoch, as the energy does") {
  RunRecord slow = run_at(1, 100);
  slow.cases.front().epoch_seconds = {1, 1, 1, 1, 3};
  slow.cases.front() = with_energy(slow.cases.front(), 100, PowerScope::kGpuBoard);
  CHECK(compute_energy_delay(compared(slow, run_at(1, 100))).value().value == approx(1.5 * 1.5));
}

TEST_CASE("with three or more repeats per side the interval is from their scatter") {
  const std::vector<double> a = {400, 404, 408};
  const std::vector<double> b = {200, 206, 203};
  const Comparison comparison =
      compared(repeated({4, 4, 4}, {100, 101, 102}), repeated({1, 1, 1}, {200, 206, 203}));
  const auto energy = compute_energy(comparison).value();
  CHECK(energy.value == approx(404.0 / 203));
  CHECK(energy.interval.value().low == approx(ratio_of_medians(a, b).interval.value().low));
  CHECK(energy.interval.value().high == approx(ratio_of_medians(a, b).interval.value().high));
}

TEST_CASE("the energy-delay product is computed per repeat") {
  const Comparison comparison =
      compared(repeated({4, 4.1, 4.2}, {100, 101, 102}), repeated({1, 1.1, 1.05}, {200, 206, 203}));
  // E is P t, so E t is P t^2.
  const std::vector<double> a = {100 * 16, 101 * 4.1 * 4.1, 102 * 4.2 * 4.2};
  const std::vector<double> b = {200, 206 * 1.1 * 1.1, 203 * 1.05 * 1.05};
  const Estimate expected = ratio_of_medians(a, b);
  const Estimate product = compute_energy_delay(comparison).value();
  CHECK(product.value == approx(expected.value));
  CHECK(product.interval.value().low == approx(expected.interval.value().low));
}

TEST_CASE("repeats without energy or with another scope are ignored") {
  RunRecord run = repeated({4, 4, 4}, {100, 110, 500});
  run.cases[1].energy.clear();
  run.cases[2].energy[0].scope = PowerScope::kSystem;
  const auto candidates = make_candidates(run, "a.json");
  CHECK(only_case(candidates.at(0)).estimate("mean_epoch_joules").value().value == approx(400));
  CHECK(only_case(candidates.at(0)).energy.scope == "gpu-board");
}

TEST_CASE("a first repeat without energy does not hide that of the others") {
  RunRecord run = repeated({4, 4, 4, 4}, {500, 100, 110, 120});
  run.cases[0].energy.clear();
  const ComparedRow row = make_candidates(run, "a.json").at(0).rows.at(0);
  CHECK(row.estimate("mean_epoch_joules").value().value == approx(440));
  CHECK(row.find("mean_epoch_joules")->size() == 3);
}

TEST_CASE("the other energy details are from the same source") {
  const auto candidates = make_candidates(run_at(4, 100), "a.json");
  const EnergyDetails& energy = only_case(candidates.at(0)).energy;
  CHECK(energy.net_joules.value() == approx(400 - 55 * 4));
  CHECK(energy.idle_watts.value() == approx(55));
  CHECK(energy.mean_watts.value() == approx(100));
  CHECK(energy.peak_watts.value() == approx(125));
  CHECK(only_case(candidates.at(0)).estimate("joules_per_1000_samples").value().value == approx(8));
  CHECK(energy.method == "counter-difference");
  CHECK(energy.meter == "nvml");
}

TEST_CASE("energies of different scopes are refused, unless forced") {
  const RunRecord board = run_at(4, 100);
  RunRecord system = run_at(4, 50, PowerScope::kSystem);
  make_source(system).device = "";
  const Comparison refused = compared(board, system);
  CHECK(decide_comparability(refused) == Comparability::kRefused);
  CHECK(compute_energy(refused).reason() == "refused: energy scope: a gpu-board, b system");
  CHECK(compute_energy_delay(refused).reason() == "refused: energy scope: a gpu-board, b system");
  const auto speed = speed_ratio(first_pair(refused));
  CHECK(speed.value().value == approx(1));
  CHECK(compute_energy(compared(board, system, true)).value().value == approx(2));
}

TEST_CASE("energies of different sensors have a ratio, a caveat and no interval") {
  const auto by = [](const std::string& meter, const std::string& model) {
    RunRecord run = repeated({2, 2, 2}, {100, 100, 100});
    run.environment.devices.front().model = model;
    for (CaseRecord& record : run.cases) record.energy.front().meter = meter;
    return run;
  };
  for (const Comparison& comparison :
       {compared(by("nvml", "one"), by("nvml", "other")), compared(by("amd", "one"), by("nvml", "one"))}) {
    CHECK(compute_energy(comparison).value().value == 1);
    CHECK(compute_energy(comparison).value().interval.reason() == "different power sensors");
    CHECK(compute_energy_delay(comparison).value().interval.reason() == "different power sensors");
    const auto rows = row_ratios(comparison.versus_baseline[0], &find_metric("mean_epoch_joules", ""));
    CHECK_FALSE(compute_mean(std::vector{rows[0], rows[0]}).interval.has_value());
    CHECK(decide_comparability(comparison) == Comparability::kCaveat);
  }
  const Comparison alike = compared(by("rapl", "one"), by("rapl", "one"));
  CHECK(compute_energy(alike).value().interval.has_value());
  CHECK(decide_comparability(alike) == Comparability::kComparable);
}

TEST_CASE("without energy in any file, notes and tables do not mention it") {
  CHECK(energy_absences(make_candidates(laptop_run(), "a.json")).empty());
  CHECK(energy_table(make_candidates(laptop_run(), "a.json"), 0.3).rows.empty());
}

TEST_CASE("a price per kWh is converted by 3.6 MJ") { CHECK(compute_cost(7.2e6, 0.3) == approx(0.6)); }

TEST_CASE("the cost is shown if there is a price") {
  const auto has_cost = [](std::optional<double> price) {
    const Table table = energy_table(make_candidates(run_at(4, 100), "a.json"), price);
    return std::ranges::count(table.columns, "cost of 1,000 epochs", &Column::heading) == 1;
  };
  CHECK_FALSE(has_cost(std::nullopt));
  CHECK(has_cost(0.3));
}

}  // namespace gpubench::test::energy_test
