// The cases of a duel side by side.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compare/row_names.h"
#include "gpubench/core/nearest.h"
#include "pages/comparison/sections.h"
#include "pages/words.h"
#include "report/figure_text.h"

namespace gpubench {
namespace {

/// What is known of the pairs as a whole: columns that would say the same in each row are left out.
struct Shape {
  bool has_sizes = false;
  bool has_modes = false;
  bool has_several_datasets = false;
  bool has_startup = false;
  bool has_energy = false;
  bool has_energy_interval = false;
};

/// What is unusual about how the case trains: "bf16, loader host".
std::string mode_of(const RowFigures& row) {
  static const RowNames names({});
  return names.of(row.identity.without({"model", "sizes", "device", "dataset", "batch", "protocol"}));
}

/// "bf16", or of both sides "default / bf16".
std::string mode_of(const Pair& pair) {
  const auto words = [](const RowFigures* row) {
    const std::string mode = mode_of(*row);
    return mode.empty() ? std::string("default") : mode;
  };
  const bool is_alike =
      pair.base == nullptr || pair.other == nullptr || words(pair.base) == words(pair.other);
  return is_alike ? mode_of(pair.any()) : words(pair.base) + " / " + words(pair.other);
}

bool has_energy(const RowFigures* figures) { return figures != nullptr && figures->epoch_joules.has_value(); }

const std::string& dataset_of(const Pair& pair) { return pair.any().identity.at("dataset"); }

Shape shape_of(const Comparison& comparison, const Duel& duel) {
  Shape shape;
  for (const Pair& pair : duel.pairs) {
    shape.has_sizes |= !pair.any().identity.at("sizes").empty();
    shape.has_modes |= !mode_of(pair).empty();
    shape.has_several_datasets |= dataset_of(pair) != dataset_of(duel.pairs.front());
    shape.has_startup |= break_even(comparison, duel, pair).has_value();
    shape.has_energy |= has_energy(pair.base) && has_energy(pair.other);
    const Reading<Estimate> energy = energy_ratio(comparison, duel, pair);
    shape.has_energy_interval |= energy.has_value() && energy.value().interval.has_value();
  }
  return shape;
}

std::vector<Column> columns_of(const Comparison& comparison, const Duel& duel, const Shape& shape) {
  const std::string& base = comparison.base_of(duel).label;
  const std::string& other = comparison.other_of(duel).label;
  std::vector<Column> columns = {{"model"}};
  if (shape.has_sizes) columns.push_back({"sizes"});
  if (shape.has_several_datasets) columns.push_back({"dataset"});
  columns.push_back({"batch", "", true});
  if (shape.has_modes) columns.push_back({"mode"});
  columns.push_back({base + " epoch", "s", true});
  columns.push_back({other + " epoch", "s", true});
  columns.push_back({fmt::format("{} / {}", base, other), "x", true});
  columns.push_back({"95 % interval"});
  if (shape.has_startup) {
    columns.push_back({base + " start-up", "s", true});
    columns.push_back({other + " start-up", "s", true});
    columns.push_back({"ahead"});
  }
  if (shape.has_energy) {
    for (const std::string name : {"energy", "efficiency"}) {
      columns.push_back({name, "x", true});
      if (shape.has_energy_interval) columns.push_back({name + ", 95 % interval"});
    }
  }
  return columns;
}

/// The figure, or how the case ended.
Cell time_cell(const RowFigures* figures) {
  if (figures == nullptr) return {"none", {}, "", Tone::kMuted};
  if (!figures->is_ok) {
    return {figures->status, {}, figures->status_reason, Tone::kBad};
  }
  if (!figures->seconds.has_value()) return no_figure(figures->seconds.reason());
  Cell cell = number_cell(figures->seconds.value().value);
  if (figures->failures > 0) {
    cell.note =
        fmt::format("{} of {} repetitions failed", figures->failures, figures->failures + figures->processes);
    cell.tone = Tone::kWarning;
  }
  return cell;
}

Cell startup_cell(const RowFigures* figures) {
  return figures == nullptr ? Cell{"-"} : number_cell(figures->startup_seconds);
}

/// The ratio, with what of `metric` is to be minded.
Cell ratio_cell_of(const Reading<Estimate>& ratio, Metric metric, const Pair& pair) {
  Cell cell = ratio_cell(ratio);
  std::vector<std::string> caveats;
  for (const Difference& difference : pair.differences) {
    if (difference.on(metric) != Judgement::kComparable) caveats.push_back(sentence_of(difference));
  }
  if (cell.value && !caveats.empty()) cell.note = join(caveats, "; ");
  return cell;
}

Cell interval_cell(const Reading<Estimate>& ratio) {
  return {ratio.has_value() ? interval_text(ratio.value().interval) : ""};
}

Cell ahead_cell(const Comparison& comparison, const Duel& duel, const Pair& pair) {
  using Kind = BreakEven::Kind;
  const Reading<BreakEven> point = break_even(comparison, duel, pair);
  if (!point.has_value()) return no_figure(point.reason());
  const bool is_base = point.value().kind == Kind::kBaseAlways || point.value().kind == Kind::kBaseOvertakes;
  const std::string& who = (is_base ? comparison.base_of(duel) : comparison.other_of(duel)).label;
  const bool is_always = point.value().kind == Kind::kBaseAlways || point.value().kind == Kind::kOtherAlways;
  if (is_always) return {who + " always", 0.0};
  // Training is stopped after whole epochs.
  const double first = std::max(1.0, std::ceil(point.value().epochs));
  return {fmt::format("{} from epoch {:.0f} on", who, first), point.value().epochs};
}

std::vector<Cell> row_of(const Comparison& comparison, const Duel& duel, const Pair& pair,
                         const Shape& shape) {
  const RowIdentity& asked = pair.any().identity;
  std::vector<Cell> row = {{asked.subject()}};
  if (shape.has_sizes) row.push_back({asked.at("sizes")});
  if (shape.has_several_datasets) row.push_back({asked.at("dataset")});
  row.push_back({asked.at("batch"), static_cast<double>(asked.number("batch"))});
  if (shape.has_modes) row.push_back({mode_of(pair)});
  row.push_back(time_cell(pair.base));
  row.push_back(time_cell(pair.other));
  const Reading<Estimate> speed = speed_ratio(comparison, duel, pair);
  row.push_back(ratio_cell_of(speed, Metric::kTime, pair));
  row.push_back(interval_cell(speed));
  if (shape.has_startup) {
    row.push_back(startup_cell(pair.base));
    row.push_back(startup_cell(pair.other));
    row.push_back(ahead_cell(comparison, duel, pair));
  }
  if (shape.has_energy) {
    for (const PairRatio ratio_of : {energy_ratio, efficiency_ratio}) {
      const Reading<Estimate> ratio = ratio_of(comparison, duel, pair);
      row.push_back(ratio_cell_of(ratio, Metric::kEnergy, pair));
      if (shape.has_energy_interval) row.push_back(interval_cell(ratio));
    }
  }
  return row;
}

std::vector<std::string> notes_of(const Comparison& comparison, const Duel& duel, const Shape& shape) {
  const std::string& a = comparison.base_of(duel).label;
  const std::string& b = comparison.other_of(duel).label;
  std::vector<std::string> notes = {
      fmt::format("{0} / {1}: median epoch of {0} by that of {1}; above 1, {1} is faster.", a, b)};
  if (shape.has_startup) {
    notes.push_back(fmt::format(
        "Start-up T0: set-up, and what the first epoch took beyond a median one t. Time of n epochs "
        "T(n) = T0 + n t; equal after n = (T0_{1} - T0_{0}) / (t_{0} - t_{1}) epochs.",
        a, b));
  }
  if (shape.has_energy) {
    notes.push_back(
        fmt::format("Energy: E_{0} / E_{1} of an epoch; efficiency: (E_{0} t_{0}) / (E_{1} t_{1}), the "
                    "energy-delay product; above 1, {1} is the better one.",
                    a, b));
  }
  return notes;
}

}  // namespace

Table case_table(const Comparison& comparison, const Duel& duel) {
  const Shape shape = shape_of(comparison, duel);
  Table table{pair_name(comparison, duel),
              columns_of(comparison, duel, shape),
              {},
              notes_of(comparison, duel, shape)};
  for (const Pair& pair : duel.pairs) table.rows.push_back(row_of(comparison, duel, pair, shape));
  return table;
}

Table failure_table(const Comparison& comparison) {
  Table table{"What did not run", {{"contender"}, {"case"}, {"status"}, {"because"}}, {}, {}};
  const RowNames names(identities_of(comparison.contenders));
  for (const Contender& contender : comparison.contenders) {
    for (const RowFigures& figures : contender.rows) {
      if (figures.is_ok) continue;
      table.rows.push_back({{contender.label},
                            {names.of(figures.identity)},
                            {figures.status, {}, "", Tone::kBad},
                            {figures.status_reason}});
    }
  }
  return table;
}

}  // namespace gpubench
