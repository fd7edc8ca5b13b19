#include "simulation/sides.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "compare/gate.h"
#include "compare/rows.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"
#include "simulation/rate.h"
#include "support/compared_runs.h"
#include "support/sample_energy.h"

namespace gpubench::test {
namespace {

constexpr std::size_t kCases = 6;  // As in suite quick.
constexpr std::size_t kEpochsOfSide = 1;

/// Returns a case. Cases differ in their batch sizes.
CaseRecord nth_case(Noise& noise, const Setting& setting, std::size_t number, double seconds) {
  CaseRecord record = simulated_case(noise, setting.machine, kEpochsOfSide, seconds);
  record.batch_size = static_cast<std::int64_t>(32 * (number + 1));
  const double watts = 60 * std::exp(0.005 * noise.normal());
  return with_energy(std::move(record), watts, PowerScope::kCpuPackage);
}

RunRecord simulated_run(Noise& noise, const Setting& setting, double seconds) {
  std::vector<CaseRecord> records;
  for (std::size_t process = 0; process < setting.processes; ++process) {
    for (std::size_t number = 0; number < kCases; ++number) {
      records.push_back(nth_case(noise, setting, number, seconds));
      records.back().repeat = static_cast<std::int64_t>(process + 1);
    }
  }
  return run_on("vm", "cpu", std::move(records));
}

/// Returns one operation whose calls take as long as the blocks of the first case.
RunRecord list_operations(const RunRecord& run) {
  RunRecord ops;
  ops.environment = run.environment;
  for (const CaseRecord& record : run.cases) {
    if (record.batch_size != run.cases.front().batch_size) continue;
    OpRecord& row = ops.operations.emplace_back();
    row.op = "matmul";
    row.sizes = std::to_string(record.batch_size);
    row.device = record.device;
    row.status = RowStatus::kOk;
    row.repeat = record.repeat;
    row.call_seconds = record.block_seconds;
  }
  return ops;
}

Side make_side(const RunRecord& run, const std::string& name, const Setting& setting) {
  const std::string file = name + ".json";
  Side side{make_candidates(run, file), make_candidates(list_operations(run), file)};
  for (std::vector<Candidate>* all : {&side.runs, &side.tables}) {
    all->front().interleaved_run = setting.is_alternating ? "now" : "";
    all->front().variant = name;
    all->front().first_start = all->front().last_start = name;  // In sequence.
  }
  return side;
}

Comparison compared(const std::vector<Candidate>& one, const std::vector<Candidate>& other) {
  std::vector<Candidate> candidates = one;
  append(candidates, other);
  return compare(std::move(candidates), false);
}

/// Null: the main metric.
Outcome outcome_of_pair(const Pair& pair, const char* metric = nullptr) {
  const Measured<Estimate> estimate =
      metric == nullptr ? speed_ratio(pair) : compute_ratio(find_metric(metric, ""), pair);
  return estimate.has_value() ? decide_outcome(estimate.value(), pair.owner->margin()) : Outcome::kUnknown;
}

bool is_ahead(Outcome outcome) { return outcome == Outcome::kBetter || outcome == Outcome::kWorse; }

}  // namespace

std::array<Side, 2> simulated_sides(Noise& noise, const Setting& setting) {
  const RunRecord one = simulated_run(noise, setting, 1);
  const RunRecord other = simulated_run(noise, setting, setting.slowdown);
  return {make_side(one, "A", setting), make_side(other, "B", setting)};
}

Comparisons compared(const std::array<Side, 2>& sides) {
  return {compared(sides[0].runs, sides[1].runs), compared(sides[0].tables, sides[1].tables)};
}

Outcome outcome_of_case(const Comparison& comparison, const char* metric) {
  return outcome_of_pair(comparison.versus_baseline.front().pairs.front(), metric);
}

Outcome outcome_of_mean(const Comparison& comparison) {
  const CandidatePair& versus = comparison.versus_baseline.front();
  const std::vector<RowRatio> rows = row_ratios(versus);
  return rows.empty() ? Outcome::kUnknown : decide_outcome(compute_mean(rows), versus.margin());
}

std::array<bool, kKinds> find_differences(const Comparisons& all) {
  const bool is_mean_ahead = is_ahead(outcome_of_mean(all.runs));
  // Skips the gate, which is slow, unless a case or the mean differs.
  const bool may_regress =
      is_mean_ahead || std::ranges::any_of(all.runs.versus_baseline.front().pairs,
                                           [](const Pair& pair) { return is_ahead(outcome_of_pair(pair)); });
  return {is_ahead(outcome_of_case(all.runs)), is_mean_ahead,
          is_ahead(outcome_of_case(all.runs, "mean_epoch_joules")), is_ahead(outcome_of_case(all.tables)),
          may_regress && gate(all.runs, {{nullptr, 0.05}}).answer == GateVerdict::kRegression};
}

}  // namespace gpubench::test
