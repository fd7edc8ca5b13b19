// The cases of a duel side by side.

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "compare/row_names.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/record/derived.h"
#include "pages/columns.h"
#include "pages/comparison/sections.h"

namespace gpubench {
namespace {

/// What is unusual about how the case trains: "bf16, loader host".
std::string mode_of(const RowFigures& row) {
  static const RowNames names({});
  return names.of(row.identity.without({"model", "sizes", "device", "dataset", "batch", "protocol"}));
}

/// "bf16", or of both sides "default / bf16".
std::string mode_of(const Pair& pair) {
  if (!pair.is_common() || mode_of(*pair.base) == mode_of(*pair.other)) return mode_of(pair.any());
  const auto told = [](const std::string& mode) { return mode.empty() ? "default" : mode; };
  return told(mode_of(*pair.base)) + " / " + told(mode_of(*pair.other));
}

/// The figure, or how the case ended.
Cell time_cell(const RowFigures* figures) {
  if (figures == nullptr) return {"none", {}, "", Tone::kMuted};
  if (!figures->is_ok) return {figures->status, {}, figures->status_reason, Tone::kBad};
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
    if (difference.on(metric) != Judgement::kComparable)
      caveats.push_back(sentence_of(difference, *pair.duel));
  }
  if (cell.value && !caveats.empty()) cell.note = join(caveats, "; ");
  return cell;
}

Cell ahead_cell(const Pair& pair) {
  using Kind = BreakEven::Kind;
  const Reading<BreakEven> point = break_even(pair);
  if (!point.has_value()) return no_figure(point.reason());
  const auto& [kind, epochs] = point.value();
  const bool is_base = kind == Kind::kBaseAlways || kind == Kind::kBaseOvertakes;
  const std::string& who = (is_base ? pair.duel->base : pair.duel->other)->label;
  if (kind == Kind::kBaseAlways || kind == Kind::kOtherAlways) return {who + ", always", 0.0};
  // Training is stopped after whole epochs.
  const double first = std::ceil(epochs);
  return {first > 1 ? fmt::format("{}, from epoch {:.0f} on", who, first) : who + ", from the first epoch",
          epochs};
}

using Pairs = Columns<Pair>;
using Notes = std::vector<std::string>;

/// What the cases are; what is the same of all goes without saying.
void add_names(Pairs& table, const Duel& duel) {
  const auto part = [](const char* key) {
    return [key](const Pair& pair) { return pair.any().identity.at(key); };
  };
  table.add({"model"}, part("model"));
  table.add_told({"sizes"}, part("sizes"));
  const auto dataset = part("dataset");
  if (table.any([&](const Pair& pair) { return dataset(pair) != dataset(duel.pairs.front()); }))
    table.add({"dataset"}, dataset);
  table.add({"batch", "", true}, [](const Pair& pair) {
    const RowIdentity& identity = pair.any().identity;
    return Cell{identity.at("batch"), static_cast<double>(identity.number("batch"))};
  });
  table.add_told({"mode"}, [](const Pair& pair) { return mode_of(pair); });
}

bool has_startups(const Pair& pair) {
  return pair.is_common() && pair.base->startup_seconds.has_value() &&
         pair.other->startup_seconds.has_value();
}

/// "0.62 to 0.71 s"; empty where no row of the contender tells.
std::string process_starts(const Contender& contender) {
  std::vector<double> all;
  for (const RowFigures& row : contender.rows) {
    if (row.process_start_seconds.has_value()) all.push_back(row.process_start_seconds.value());
  }
  if (all.empty()) return "";
  const auto [least, most] = std::ranges::minmax(all);
  const std::string from = figure_text(least);
  const std::string to = figure_text(most);
  return fmt::format("{} {} s", contender.label, from == to ? to : from + " to " + to);
}

/// Nothing where no case tells how long it takes to start.
void add_startups(Pairs& table, const Duel& duel, Notes& notes) {
  const std::string& base = duel.base->label;
  const std::string& other = duel.other->label;
  if (!table.any(has_startups)) return;
  table.add({base + " start-up", "s", true}, [](const Pair& pair) { return startup_cell(pair.base); });
  table.add({other + " start-up", "s", true}, [](const Pair& pair) { return startup_cell(pair.other); });
  if (table.any([](const Pair& pair) { return break_even(pair).has_value(); }))
    table.add({"faster in total"}, ahead_cell);
  notes.push_back(
      fmt::format("Start-up T0: set-up, and what the first epoch took beyond a median one t. Time of n "
                  "epochs T(n) = T0 + "
                  "n t; equal after n = (T0_{1} - T0_{0}) / (t_{0} - t_{1}) epochs.",
                  base, other));
  std::vector<std::string> starts{process_starts(*duel.base), process_starts(*duel.other)};
  std::erase(starts, "");
  if (!starts.empty())
    notes.push_back(
        "Before T0 the process starts, loads LibTorch and makes the device ready: " + join(starts) + ".");
}

/// Nothing where no case has energies on both sides.
void add_energies(Pairs& table, const Duel& duel, Notes& notes) {
  if (!table.any(&Pair::has_energies)) return;
  const bool has_interval =
      table.any([](const Pair& pair) { return !interval_text(energy_ratio(pair)).empty(); });
  for (const auto& [name, kind] :
       {std::pair<std::string, PairRatio>{"energy", kEnergy}, {"energy-delay product", kEnergyDelay}}) {
    table.add({name, "x", true}, [ratio_of = kind.of](const Pair& pair) {
      return ratio_cell_of(ratio_of(pair), Metric::kEnergy, pair);
    });
    if (!has_interval) continue;
    table.add({name + ", 95 % interval"},
              [ratio_of = kind.of](const Pair& pair) { return interval_text(ratio_of(pair)); });
  }
  notes.push_back(fmt::format(
      "Energy: E_{0} / E_{1} of a mean epoch; energy-delay product: (E_{0} t_{0}) / (E_{1} t_{1}), "
      "t the mean epoch; above 1, {1} is the better one.",
      duel.base->label, duel.other->label));
}

}  // namespace

bool has_common_row(const Duel& duel) { return std::ranges::any_of(duel.pairs, &Pair::is_common); }

Table case_table(const Duel& duel) {
  if (!has_common_row(duel)) return {};
  Pairs table(duel.pairs);
  add_names(table, duel);
  const std::string& base = duel.base->label;
  const std::string& other = duel.other->label;
  table.add({base + " epoch", "s", true}, [](const Pair& pair) { return time_cell(pair.base); });
  table.add({other + " epoch", "s", true}, [](const Pair& pair) { return time_cell(pair.other); });
  table.add({base + " / " + other, "x", true},
            [](const Pair& pair) { return ratio_cell_of(speed_ratio(pair), Metric::kTime, pair); });
  table.add({"95 % interval"}, [](const Pair& pair) { return interval_text(speed_ratio(pair)); });
  table.add({other + " is"}, [](const Pair& pair) {
    return pair.is_common() ? outcome_cell(speed_ratio(pair), margin_of(pair)) : no_figure("");
  });
  Notes notes = {
      fmt::format("{0} / {1}: median epoch of {0} by that of {1}; above 1, {1} is faster.", base, other)};
  add_startups(table, duel, notes);
  add_energies(table, duel, notes);
  return table.take(pair_name(duel), std::move(notes));
}

Table failure_table(const Comparison& comparison) {
  const RowNames names(identities_of(comparison.contenders));
  using Row = ContenderRow;
  std::vector<Row> rows = rows_of(comparison.contenders);
  std::erase_if(rows, [](const Row& row) { return row.figures->is_ok; });
  Columns<Row> table(rows);
  table.add({"contender"}, [](const Row& row) { return row.contender->label; });
  table.add({"case"}, [&](const Row& row) { return names.of(row.figures->identity); });
  table.add({"status"}, [](const Row& row) { return Cell{row.figures->status, {}, "", Tone::kBad}; });
  table.add({"because"}, [](const Row& row) { return row.figures->status_reason; });
  return table.take();
}

}  // namespace gpubench
