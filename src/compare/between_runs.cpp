#include "compare/between_runs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "compare/verdict.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/stats/bootstrap.h"
#include "gpubench/core/stats/rounds.h"

namespace gpubench {
namespace {

using FloorLevel = double NoiseFloor::*;

Reading<double> floor_of(const Contender& machine, std::size_t processes, FloorLevel level) {
  const auto count = static_cast<std::int64_t>(std::max<std::size_t>(processes, 1));
  return machine.device.calibration_seconds
      .then([&](const std::vector<double>& seconds) { return noise_floor(seconds, count); })
      .then(level);
}

bool is_same_machine(const Contender& one, const Contender& other) {
  return one.host == other.host && one.device.name == other.device.name &&
         one.device.model == other.device.model;
}

Reading<double> floor_of(const Contender& one, const Contender& other, std::size_t processes,
                         FloorLevel level) {
  if (are_in_alternation(one, other)) return absent("rounds in alternation tell how runs differ");
  const Reading<double> a = floor_of(one, processes, level);
  const Reading<double> b = floor_of(other, processes, level);
  if (a.has_value() && b.has_value()) return std::max(a.value(), b.value());
  if (!is_same_machine(one, other)) return absent("not both machines were calibrated");
  return a.has_value() ? a : b;
}

Absent unknown_between_runs(const SideFigure& one, const SideFigure& other) {
  if (!one.contender.publication.empty() || !other.contender.publication.empty())
    return absent("published figures, uncertainty between runs unknown");
  const std::size_t fewer = std::min(one.processes.size(), other.processes.size());
  return absent("{} {} side, uncertainty between runs unknown", fewer < 2 ? "one process" : "two processes",
                one.processes.size() == other.processes.size() ? "a" : "on a");
}

using Sides = std::vector<const RoundFigures*>;

bool has_round(const RoundFigures& figures, std::int64_t round) {
  return std::ranges::find(figures.rounds, round) != figures.rounds.end();
}

std::vector<std::int64_t> shared_rounds(const Sides& rows) {
  std::vector<std::int64_t> rounds = rows.front()->rounds;
  for (const RoundFigures* row : rows)
    std::erase_if(rounds, [&](std::int64_t round) { return !has_round(*row, round); });
  return rounds;
}

/// 0 where a figure is not above 0.
double geometric_mean_in(const Sides& rows, std::int64_t round) {
  double logarithms = 0;
  for (const RoundFigures* row : rows) {
    const auto place = std::ranges::find(row->rounds, round) - row->rounds.begin();
    const double value = row->values[static_cast<std::size_t>(place)];
    if (!(value > 0)) return 0;
    logarithms += std::log(value);
  }
  return std::exp(logarithms / static_cast<double>(rows.size()));
}

std::vector<double> means_in(const std::vector<std::int64_t>& rounds, const Sides& rows) {
  return mapped(rounds, [&](std::int64_t round) { return geometric_mean_in(rows, round); });
}

/// Of each round that all rows share.
std::vector<double> means_by_round(const Sides& rows) { return means_in(shared_rounds(rows), rows); }

/// Of three processes a side or more.
Estimate ratio_of_processes(const std::vector<double>& over, const std::vector<double>& under,
                            Measuring measuring) {
  return measuring == Measuring::kApart ? ratio_of_stretches(over, under) : ratio_of_medians(over, under);
}

Estimate ratio_in_alternation(const Sides& over, const Sides& under, double measured) {
  Sides all = over;
  append(all, under);
  const std::vector<std::int64_t> rounds = shared_rounds(all);
  if (rounds.empty()) return {measured, absent("the sides have no round in common")};
  return ratio_of_rounds(means_in(rounds, over), means_in(rounds, under));
}

}  // namespace

Reading<double> noise_floor_of(const Contender& one, const Contender& other, std::size_t processes) {
  return floor_of(one, other, processes, &NoiseFloor::relative);
}

double margin_of(const Contender& one, const Contender& other, std::size_t processes) {
  if (one.equality_margin) return *one.equality_margin;
  if (are_in_alternation(one, other)) return kMarginInAlternation;
  const Reading<double> floor = noise_floor_of(one, other, processes);
  return floor.has_value() ? std::max(kLeastMargin, floor.value()) : kLeastMargin;
}

Estimate ratio_between(const SideFigure& over, const SideFigure& under, Measuring measuring) {
  if (measuring == Measuring::kAlternation)
    return ratio_in_alternation({&over.processes}, {&under.processes},
                                over.figure.value / under.figure.value);
  const std::size_t fewer = std::min(over.processes.size(), under.processes.size());
  if (fewer >= kEnoughProcesses)
    return ratio_of_processes(over.processes.values, under.processes.values, measuring);
  const Estimate within = ratio_of(over.figure, under.figure);
  const Reading<double> floor = floor_of(over.contender, under.contender, fewer, &NoiseFloor::of_99);
  if (floor.has_value() && over.is_time && under.is_time) return widened_to(floor.value(), within);
  return {within.value, unknown_between_runs(over, under)};
}

Estimate ratio_of_times(const ContenderRow& over, const ContenderRow& under) {
  return ratio_of_times(over, under, measuring_of(*over.contender, *under.contender));
}

Estimate ratio_of_times(const ContenderRow& over, const ContenderRow& under, Measuring measuring) {
  const auto side = [](const ContenderRow& row) {
    return SideFigure{*row.contender, row.figures->seconds.value(), row.figures->process_seconds};
  };
  return ratio_between(side(over), side(under), measuring);
}

Estimate mean_of_rounds(std::span<const RoundRatio> rows) {
  if (rows.size() == 1) return rows.front().ratio;
  const Sides over = mapped(rows, &RoundRatio::over);
  const Sides under = mapped(rows, &RoundRatio::under);
  const Estimate of_rows = geometric_mean_of(mapped(rows, &RoundRatio::ratio));
  const Estimate sensors = geometric_mean_of(mapped(rows, &RoundRatio::sensors));
  const auto is_of_all = [&](Measuring how) {
    return std::ranges::all_of(rows, [how](const RoundRatio& row) { return row.measuring == how; });
  };
  if (is_of_all(Measuring::kAlternation))
    return ratio_of(ratio_in_alternation(over, under, of_rows.value), sensors);
  const std::vector<double> above = means_by_round(over);
  const std::vector<double> below = means_by_round(under);
  if (std::min(above.size(), below.size()) < kEnoughProcesses) return of_rows;
  const Measuring measuring = is_of_all(Measuring::kMixed) ? Measuring::kMixed : Measuring::kApart;
  return ratio_of(ratio_of_processes(above, below, measuring), sensors);
}

}  // namespace gpubench
