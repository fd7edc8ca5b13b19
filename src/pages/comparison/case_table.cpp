// The cases of a versus side by side.

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "compare/row_names.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/record/derived.h"
#include "pages/comparison/sections.h"
#include "pages/record_table.h"

namespace gpubench {
namespace {

/// What is unusual about how the case trains: "bf16, loader host".
std::string format_mode(const RowFigures& row) {
  static const RowNames names({});
  return names.of(row.identity.without({"model", "sizes", "device", "dataset", "batch_size", "protocol"}));
}

/// "bf16", or of both sides "default / bf16".
std::string format_mode(const Pair& pair) {
  if (!pair.is_common() || format_mode(*pair.base) == format_mode(*pair.other))
    return format_mode(pair.any());
  const auto told = [](const std::string& mode) { return mode.empty() ? "default" : mode; };
  return told(format_mode(*pair.base)) + " / " + told(format_mode(*pair.other));
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
Cell make_ratio_cell(const Measured<Estimate>& ratio, Metric metric, const Pair& pair) {
  Cell cell = ratio_cell(ratio);
  std::vector<std::string> caveats;
  for (const Difference& difference : pair.differences) {
    if (difference.on(metric) != Comparability::kComparable)
      caveats.push_back(format_sentence(difference, *pair.versus));
  }
  if (cell.value && !caveats.empty()) cell.note = join(caveats, "; ");
  return cell;
}

Cell ahead_cell(const Pair& pair) {
  using Kind = BreakEven::Kind;
  const Measured<BreakEven> point = break_even(pair);
  if (!point.has_value()) return no_figure(point.reason());
  const auto& [kind, epochs] = point.value();
  const bool is_base = kind == Kind::kBaseAlways || kind == Kind::kBaseOvertakes;
  const std::string& who = (is_base ? pair.versus->base : pair.versus->other)->label;
  if (kind == Kind::kBaseAlways || kind == Kind::kOtherAlways) return {who + ", always", 0.0};
  // Training is stopped after whole epochs.
  const double first = std::ceil(epochs);
  return {first > 1 ? fmt::format("{}, from epoch {:.0f} on", who, first) : who + ", from the first epoch",
          epochs};
}

using Pairs = Columns<Pair>;
using Notes = std::vector<std::string>;

/// What the cases are; what is the same of all goes without saying.
void add_names(Pairs& table, const BaselineComparison& versus) {
  const auto part = [](const char* key) {
    return [key](const Pair& pair) { return pair.any().identity.at(key); };
  };
  table.add({"model"}, part("model"));
  table.add_told({"sizes"}, part("sizes"));
  const auto dataset = part("dataset");
  if (table.any([&](const Pair& pair) { return dataset(pair) != dataset(versus.pairs.front()); }))
    table.add({"dataset"}, dataset);
  table.add({"batch", "", true}, [](const Pair& pair) {
    const RowIdentity& identity = pair.any().identity;
    return Cell{identity.at("batch_size"), static_cast<double>(identity.number("batch_size"))};
  });
  table.add_told({"mode"}, [](const Pair& pair) { return format_mode(pair); });
}

bool has_startups(const Pair& pair) {
  return pair.is_common() && pair.base->startup_seconds.has_value() &&
         pair.other->startup_seconds.has_value();
}

/// "0.62 to 0.71 s"; empty where no row of the candidate tells.
std::string process_starts(const Candidate& candidate) {
  std::vector<double> all;
  for (const RowFigures& row : candidate.rows) {
    if (row.process_start_seconds.has_value()) all.push_back(row.process_start_seconds.value());
  }
  if (all.empty()) return "";
  const auto [least, most] = std::ranges::minmax(all);
  const std::string from = figure_text(least);
  const std::string to = figure_text(most);
  return fmt::format("{} {} s", candidate.label, from == to ? to : from + " to " + to);
}

/// Nothing where no case tells how long it takes to start.
void add_startups(Pairs& table, const BaselineComparison& versus, Notes& notes) {
  const std::string& base = versus.base->label;
  const std::string& other = versus.other->label;
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
  std::vector<std::string> starts{process_starts(*versus.base), process_starts(*versus.other)};
  std::erase(starts, "");
  if (!starts.empty())
    notes.push_back(
        "Before T0 the process starts, loads LibTorch and makes the device ready: " + join(starts) + ".");
}

/// Nothing where no case has energies on both sides.
void add_energies(Pairs& table, const BaselineComparison& versus, Notes& notes) {
  if (!table.any(&Pair::has_energies)) return;
  const bool has_interval =
      table.any([](const Pair& pair) { return !interval_text(energy_ratio(pair)).empty(); });
  for (const auto& [name, kind] :
       {std::pair<std::string, PairRatio>{"energy", kEnergy}, {"energy-delay product", kEnergyDelay}}) {
    table.add({name, "x", true}, [compute_ratio = kind.of](const Pair& pair) {
      return make_ratio_cell(compute_ratio(pair), Metric::kEnergy, pair);
    });
    if (!has_interval) continue;
    table.add({name + ", 95 % interval"},
              [compute_ratio = kind.of](const Pair& pair) { return interval_text(compute_ratio(pair)); });
  }
  notes.push_back(fmt::format(
      "Energy: E_{0} / E_{1} of a mean epoch; energy-delay product: (E_{0} t_{0}) / (E_{1} t_{1}), "
      "t the mean epoch; above 1, {1} is the better one.",
      versus.base->label, versus.other->label));
}

}  // namespace

bool has_common_row(const BaselineComparison& versus) {
  return std::ranges::any_of(versus.pairs, &Pair::is_common);
}

Table case_table(const BaselineComparison& versus) {
  if (!has_common_row(versus)) return {};
  Pairs table(versus.pairs);
  add_names(table, versus);
  const std::string& base = versus.base->label;
  const std::string& other = versus.other->label;
  table.add({base + " epoch", "s", true}, [](const Pair& pair) { return time_cell(pair.base); });
  table.add({other + " epoch", "s", true}, [](const Pair& pair) { return time_cell(pair.other); });
  table.add({base + " / " + other, "x", true},
            [](const Pair& pair) { return make_ratio_cell(speed_ratio(pair), Metric::kTime, pair); });
  table.add({"95 % interval"}, [](const Pair& pair) { return interval_text(speed_ratio(pair)); });
  table.add({other + " is"}, [](const Pair& pair) {
    return pair.is_common() ? outcome_cell(speed_ratio(pair), compute_margin(pair)) : no_figure("");
  });
  Notes notes = {
      fmt::format("{0} / {1}: median epoch of {0} by that of {1}; above 1, {1} is faster.", base, other)};
  add_startups(table, versus, notes);
  add_energies(table, versus, notes);
  return table.take(pair_name(versus), std::move(notes));
}

Table failure_table(const Comparison& comparison) {
  const RowNames names(make_identities(comparison.candidates));
  using Row = CandidateRow;
  std::vector<Row> rows = make_rows(comparison.candidates);
  std::erase_if(rows, [](const Row& row) { return row.figures->is_ok; });
  Columns<Row> table(rows);
  table.add({"candidate"}, [](const Row& row) { return row.candidate->label; });
  table.add({"case"}, [&](const Row& row) { return names.of(row.figures->identity); });
  table.add({"status"}, [](const Row& row) { return Cell{row.figures->status, {}, "", Tone::kBad}; });
  table.add({"because"}, [](const Row& row) { return row.figures->status_reason; });
  return table.take();
}

}  // namespace gpubench
