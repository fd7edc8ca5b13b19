// Coverage of intervals of a median.

#include "simulation/tables.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/record/derived.h"
#include "simulation/machine.h"
#include "simulation/rate.h"
#include "support/compared_runs.h"

namespace gpubench::test {
namespace {

double compute_mean(const Series& values) { return summarize(values).mean; }

/// Returns Student's interval, which assumes independent values.
Measured<Interval> student_interval(const Series& values, double scale = 1) {
  if (values.size() < 2) return missing("one value");
  const Summary summary = summarize(values);
  const auto count = static_cast<double>(values.size());
  const double half = kNormalScore * student_factor(count - 1) * summary.stddev.value() / std::sqrt(count);
  return Interval{scale * (summary.mean - half), scale * (summary.mean + half)};
}

/// Returns Student's interval of the means of batches of `count` blocks.
Measured<Interval> student_interval_of_batches(const Series& blocks, std::size_t count) {
  Series means;
  for (std::size_t i = 0; i + count <= blocks.size(); i += count)
    means.push_back(compute_mean({blocks.begin() + static_cast<std::ptrdiff_t>(i),
                                  blocks.begin() + static_cast<std::ptrdiff_t>(i + count)}));
  return student_interval(means, static_cast<double>(kBlocks));
}

/// Returns the interval from the smallest value to the largest, without `dropped` values at each end.
Measured<Interval> order_interval(Series values, std::size_t dropped) {
  if (values.size() < 2 * dropped + 3) return missing("too few");
  std::ranges::sort(values);
  return Interval{values[dropped], values[values.size() - 1 - dropped]};
}

std::string within_cell(const Machine& machine, double truth, std::size_t epochs, const Draws& draws) {
  Noise noise(draws.seed);
  Coverage ours;
  std::vector<Coverage> others(4);
  for (int i = 0; i < draws.count; ++i) {
    const CaseRecord record = simulated_case(noise, machine, epochs);
    const auto first = static_cast<std::ptrdiff_t>(kBlocks);
    const Series blocks(record.block_seconds.begin() + first, record.block_seconds.end());
    const std::span<const double> steady = steady_epochs(record);
    ours.add(epoch_interval(record), truth);
    others[0].add(student_interval({steady.begin(), steady.end()}), truth);
    others[1].add(student_interval_of_batches(blocks, 1), truth);
    others[2].add(student_interval_of_batches(blocks, kBlocks / 2), truth);
    others[3].add(student_interval_of_batches(blocks, 2 * kBlocks), truth);
  }
  return coverage_text(ours, others);
}

Spread none() {
  return {"none", [](Noise&) { return 1.0; }};
}

constexpr std::size_t kEpochs = 1;

/// Returns the median epochs of several processes.
std::vector<double> find_medians(Noise& noise, const Machine& machine, std::size_t processes) {
  std::vector<double> medians;
  while (medians.size() < processes)
    medians.push_back(epoch_summary(simulated_case(noise, machine, kEpochs)).value().median);
  return medians;
}

std::string between_cell(const Machine& machine, double truth, std::size_t processes, const Draws& draws) {
  Noise noise(draws.seed);
  Coverage ours;
  std::vector<Coverage> others(3);
  for (int i = 0; i < draws.count; ++i) {
    const std::vector<double> medians = find_medians(noise, machine, processes);
    ours.add(median_interval_of_independent(medians), truth);
    others[0].add(student_interval(medians), truth);
    others[1].add(order_interval(medians, 0), truth);
    others[2].add(order_interval(medians, 1), truth);
  }
  return coverage_text(ours, others);
}

std::vector<std::string> between_row(const Machine& machine, const Draws& draws) {
  std::vector<std::string> row{fmt::format("{}, within {}", machine.spread.name, percent(machine.within))};
  const double truth = median_between(machine, kEpochs);
  for (const std::size_t processes : {3u, 4u, 5u, 7u, 10u})
    row.push_back(between_cell(machine, truth, processes, draws));
  return row;
}

}  // namespace

void print_within_processes(const Draws& draws) {
  std::vector<std::vector<std::string>> rows;
  for (const Process& process : known_processes()) {
    std::vector<std::string>& row = rows.emplace_back(1, process.name);
    const auto add = [&](double within, std::initializer_list<std::size_t> counts) {
      const Machine machine{process, within, none()};
      const double truth = median_within(machine);
      for (const std::size_t epochs : counts) row.push_back(within_cell(machine, truth, epochs, draws));
    };
    add(0.045, {1, 2, 4, 9, 20, 100});
    add(0.009, {4});
    add(0.003, {4});
  }
  print_table({"blocks of a process", "1 epoch", "2 epochs", "4 epochs", "9 epochs", "20 epochs",
               "100 epochs", "4, scatter 0.9 %", "4, scatter 0.3 %"},
              rows);
}

void print_between_processes(const Draws& draws) {
  std::vector<std::vector<std::string>> rows;
  const Process& alike = known_processes().at(2);
  for (const double within : {0.003, 0.009, 0.045}) {
    for (const double scatter : {0.0, 0.03, 0.1}) {
      for (Spread spread : known_spreads(scatter)) {
        spread.name += " " + percent(scatter);
        if (scatter > 0 || spread.name.starts_with("normal"))
          rows.push_back(between_row({alike, within, spread}, draws));
      }
    }
  }
  rows.push_back(between_row({alike, 0.009, recorded_spread()}, draws));
  print_table({"processes", "3", "4", "5", "7", "10"}, rows);
}

}  // namespace gpubench::test
