// How often comparisons of simulated runs are wrong, and how often they find what differs.

#include "simulation/tables.h"

#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "compare/comparison.h"
#include "compare/gate.h"
#include "compare/verdict.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"
#include "simulation/machine.h"
#include "simulation/rate.h"
#include "support/compared_runs.h"
#include "support/sample_energy.h"

namespace gpubench::test {
namespace {

constexpr std::size_t kCases = 6;  // As in suite quick.
constexpr std::size_t kEpochs = 1;

/// How the sides of a comparison are measured.
struct Setting {
  Machine machine;
  std::size_t processes = 1;    ///< A side.
  std::size_t calibration = 0;  ///< Processes; none: not calibrated.
  double slowdown = 1;          ///< Of the second side.
};

/// Its cases differ in their batch sizes.
CaseRecord nth_case(Noise& noise, const Setting& setting, std::size_t number, double seconds) {
  CaseRecord record = simulated_case(noise, setting.machine, kEpochs, seconds);
  record.batch_size = static_cast<std::int64_t>(32 * (number + 1));
  // Known to within 1 % at 95 %.
  const double watts = 60 * std::exp(0.005 * noise.normal());
  return with_energy(std::move(record), watts, PowerScope::kCpuPackage);
}

RunRecord simulated_run(Noise& noise, const Setting& setting, double seconds,
                        const std::vector<double>& calibration) {
  std::vector<CaseRecord> records;
  for (std::size_t process = 0; process < setting.processes; ++process) {
    for (std::size_t number = 0; number < kCases; ++number) {
      records.push_back(nth_case(noise, setting, number, seconds));
      records.back().repeat = static_cast<std::int64_t>(process + 1);
    }
  }
  RunRecord run = run_on("vm", "cpu", std::move(records));
  if (!calibration.empty()) run.environment.devices.front().calibration_seconds = calibration;
  return run;
}

/// One, whose calls take as long as the blocks of the first case.
OpsRecord operations_of(const RunRecord& run) {
  OpsRecord ops;
  ops.environment = run.environment;
  for (const CaseRecord& record : run.cases) {
    if (record.batch_size != run.cases.front().batch_size) continue;
    OpRecord& row = ops.rows.emplace_back();
    row.op = "matmul";
    row.sizes = std::to_string(record.batch_size);
    row.device = record.device;
    row.status = RowStatus::kOk;
    row.repeat = record.repeat;
    row.call_seconds = record.block_seconds;
  }
  return ops;
}

std::vector<double> calibration_of(Noise& noise, const Setting& setting) {
  std::vector<double> seconds;
  while (seconds.size() < setting.calibration)
    seconds.push_back(median_of(seconds_of(simulated_epochs(noise, setting.machine, kEpochs))));
  return seconds;
}

template <class Record>
Comparison compared(const Record& one, const Record& other) {
  std::vector<Contender> contenders = contenders_of(one, "one.json");
  append(contenders, contenders_of(other, "other.json"));
  return compare(std::move(contenders), false);
}

bool tells(const Estimate& ratio, double margin) {
  const Outcome outcome = outcome_of(ratio, margin);
  return outcome == Outcome::kBetter || outcome == Outcome::kWorse;
}

bool tells_first_case(const Comparison& comparison, const PairRatio& ratio) {
  const Pair& pair = comparison.duels.front().pairs.front();
  const Reading<Estimate> estimate = ratio.of(pair);
  return estimate.has_value() && tells(estimate.value(), margin_of(pair));
}

bool tells_mean(const Comparison& comparison) {
  const std::vector<RowRatio> rows = row_ratios(comparison.duels.front());
  return !rows.empty() && tells(mean_of(rows), margin_of(rows));
}

bool fails_gate(const Comparison& comparison) {
  return gate(comparison, 0.05).answer == GateVerdict::kRegression;
}

/// Parts of the comparisons that tell a difference: of a case, of the mean of all, of the energy of a case,
/// of an operation, and by the gate.
using Told = std::array<double, 5>;

Told told(const Setting& setting, const Draws& draws) {
  Noise noise(draws.seed);
  Told parts{};
  for (int i = 0; i < draws.count; ++i) {
    const std::vector<double> calibration = calibration_of(noise, setting);
    const RunRecord one = simulated_run(noise, setting, 1, calibration);
    const RunRecord other = simulated_run(noise, setting, setting.slowdown, calibration);
    const Comparison runs = compared(one, other);
    const Comparison tables = compared(operations_of(one), operations_of(other));
    const bool found[] = {tells_first_case(runs, kSpeed), tells_mean(runs), tells_first_case(runs, kEnergy),
                          tells_first_case(tables, kSpeed), fails_gate(runs)};
    for (std::size_t kind = 0; kind < parts.size(); ++kind)
      parts[kind] += found[kind] ? 1.0 / draws.count : 0;
  }
  return parts;
}

/// Of one process a side, calibrated or not, of three and of five.
std::vector<std::string> told_row(const Machine& machine, const Draws& draws) {
  const Told settings[] = {told({machine, 1, 0}, draws), told({machine, 1, 10}, draws),
                           told({machine, 3, 0}, draws), told({machine, 5, 0}, draws)};
  std::vector<std::string> row{
      fmt::format("{}, {}, within {}", machine.process.name, machine.spread.name, percent(machine.within))};
  for (std::size_t kind = 0; kind < Told().size(); ++kind) {
    const auto part = [&](std::size_t setting) { return 100 * settings[setting][kind]; };
    row.push_back(fmt::format("{:.0f}, {:.1f}, {:.1f}, {:.1f}", part(0), part(1), part(2), part(3)));
  }
  return row;
}

/// Processes whose logarithms have that standard deviation.
Spread normal_spread(double scatter) {
  return {"processes " + percent(scatter), known_spreads(scatter).front().factor};
}

std::vector<Machine> machines() {
  const std::vector<Process>& processes = known_processes();
  std::vector<Machine> all;
  for (const double scatter : {0.0, 0.03, 0.1}) {
    for (const double within : {0.003, 0.009, 0.045})
      all.push_back({processes.at(2), within, normal_spread(scatter)});
  }
  for (const Process& process : processes) all.push_back({process, 0.045, normal_spread(0.03)});
  for (const Spread& spread : known_spreads(0.1)) all.push_back({processes.front(), 0.009, spread});
  all.push_back({processes.front(), 0.009, recorded_spread()});
  return all;
}

}  // namespace

void print_false_verdicts(const Draws& draws) {
  std::vector<std::vector<std::string>> rows;
  for (const Machine& machine : machines()) rows.push_back(told_row(machine, draws));
  print_table({"machine", "a case", "mean of 6 cases", "energy", "operation", "gate 5 %"}, rows);
}

void print_power(const Draws& draws) {
  std::vector<std::vector<std::string>> rows;
  for (const double scatter : {0.005, 0.01, 0.03}) {
    for (const double slowdown : {1.03, 1.1}) {
      std::vector<std::string>& row = rows.emplace_back();
      row.push_back(fmt::format("{} slower, processes {}", percent(slowdown - 1), percent(scatter)));
      const Machine machine{known_processes().at(2), 0.01, normal_spread(scatter)};
      for (const std::size_t processes : {3, 5, 10, 20}) {
        const Told parts = told({machine, processes, 0, slowdown}, draws);
        row.push_back(fmt::format("{}, mean {}", percent(parts[0]), percent(parts[1])));
      }
    }
  }
  print_table({"a case, and the mean of 6 cases", "3", "5", "10", "20"}, rows);
}

}  // namespace gpubench::test
