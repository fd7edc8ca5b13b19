// The rows of a versus side by side.

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "pages/comparison/sections.h"
#include "pages/format.h"

namespace gpubench {
namespace {

using Pairs = Columns<Pair>;
using Notes = std::vector<std::string>;

/// "bf16, loader host": how the case trains; of sides that differ "default / bf16".
std::string format_mode(const Pair& pair) {
  static const RowNames names({});
  const auto format = [](const RowFigures& row) {
    return names.of(row.identity.without({"model", "sizes", "device", "dataset", "batch_size", "protocol"}));
  };
  const std::string one = format(pair.any());
  if (!pair.is_common() || one == format(*pair.other)) return one;
  const auto or_default = [](const std::string& mode) { return mode.empty() ? "default" : mode; };
  return or_default(one) + " / " + or_default(format(*pair.other));
}

/// The figure, or how the row ended.
Cell time_cell(const RowFigures* figures) {
  if (figures == nullptr) return {"none", {}, "", Tone::kMuted};
  if (!figures->is_ok) return {figures->status, {}, figures->status_reason, Tone::kBad};
  const Measured<double> seconds = figures->seconds.then(&Estimate::value);
  Cell cell = figures->identity.at("op").empty() ? number_cell(seconds) : duration_cell(seconds);
  if (figures->failures > 0 && seconds.has_value()) {
    cell.note =
        fmt::format("{} of {} repetitions failed", figures->failures, figures->failures + figures->processes);
    cell.tone = Tone::kWarning;
  }
  return cell;
}

/// The ratio, with the differences that are caveats of the metric.
Cell make_ratio_cell(const Measured<Estimate>& ratio, Metric metric, const Pair& pair) {
  Cell cell = ratio_cell(ratio);
  Notes caveats;
  for (const Difference& difference : pair.differences) {
    if (difference.on(metric) != Comparability::kComparable)
      caveats.push_back(format_sentence(difference, *pair.versus));
  }
  if (cell.value && !caveats.empty()) cell.note = join(caveats, "; ");
  return cell;
}

/// "B, from epoch 3 on"
Cell ahead_cell(const Pair& pair) {
  const Measured<BreakEven> point = break_even(pair);
  if (!point.has_value()) return no_figure(point.reason());
  const auto& [is_base, epochs] = point.value();
  const std::string& who = (is_base ? pair.versus->base : pair.versus->other)->label;
  if (epochs <= 0) return {who + ", always", 0.0};
  // Training is stopped after whole epochs.
  const double first = std::ceil(epochs);
  return {first > 1 ? fmt::format("{}, from epoch {:.0f} on", who, first) : who + ", from the first epoch",
          epochs};
}

/// Columns of the parts that make the case; parts that all cases share are left out.
void add_names(Pairs& table, const std::vector<Pair>& pairs) {
  const auto part = [](const char* key) {
    return [key](const Pair& pair) { return pair.any().identity.at(key); };
  };
  if (!pairs.front().any().identity.at("op").empty()) {
    table.text("operation", part("op"));
    for (const char* key : {"sizes", "type", "direction", "cache"}) table.text(key, part(key));
    return;
  }
  table.text("model", part("model"));
  table.add_told({"sizes"}, part("sizes"));
  const auto dataset = part("dataset");
  if (table.any([&](const Pair& pair) { return dataset(pair) != dataset(pairs.front()); }))
    table.text("dataset", dataset);
  table.number("batch", "", [](const Pair& pair) {
    const RowIdentity& identity = pair.any().identity;
    return Cell{identity.at("batch_size"), static_cast<double>(identity.number("batch_size"))};
  });
  table.add_told({"mode"}, format_mode);
}

/// "A 0.62 to 0.71 s"; empty if no row has it.
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

/// Adds nothing if no case has a start-up on both sides.
void add_startups(Pairs& table, const BaselineComparison& versus, Notes& notes) {
  const auto has_startups = [](const Pair& pair) {
    return pair.is_common() && pair.base->startup_seconds.has_value() &&
           pair.other->startup_seconds.has_value();
  };
  if (!table.any(has_startups)) return;
  for (const auto& [candidate, side] : {std::pair{versus.base, &Pair::base}, {versus.other, &Pair::other}}) {
    table.number(candidate->label + " start-up", "s", [row = side](const Pair& pair) {
      return pair.*row == nullptr ? Cell{"-"} : number_cell((pair.*row)->startup_seconds);
    });
  }
  if (table.any([](const Pair& pair) { return break_even(pair).has_value(); }))
    table.text("faster in total", ahead_cell);
  notes.push_back(
      fmt::format("Start-up T0: set-up, and what the first epoch took beyond a median one t. Time of n "
                  "epochs T(n) = T0 + "
                  "n t; equal after n = (T0_{1} - T0_{0}) / (t_{0} - t_{1}) epochs.",
                  versus.base->label, versus.other->label));
  Notes starts{process_starts(*versus.base), process_starts(*versus.other)};
  std::erase(starts, "");
  if (!starts.empty())
    notes.push_back(
        "Before T0 the process starts, loads LibTorch and makes the device ready: " + join(starts) + ".");
}

/// Adds nothing if no case has energies on both sides.
void add_energies(Pairs& table, const BaselineComparison& versus, Notes& notes) {
  if (!table.any(&Pair::has_energies)) return;
  const bool has_interval =
      table.any([](const Pair& pair) { return !interval_text(energy_ratio(pair)).empty(); });
  for (const auto& [name, compute] :
       {std::pair<std::string, Measured<Estimate> (*)(const Pair&)>{"energy", energy_ratio},
        {"energy-delay product", energy_delay_ratio}}) {
    table.number(name, "x", [compute_ratio = compute](const Pair& pair) {
      return make_ratio_cell(compute_ratio(pair), Metric::kEnergy, pair);
    });
    if (!has_interval) continue;
    table.text(name + ", 95 % interval",
               [compute_ratio = compute](const Pair& pair) { return interval_text(compute_ratio(pair)); });
  }
  notes.push_back(fmt::format(
      "Energy: E_{0} / E_{1} of a mean epoch; energy-delay product: (E_{0} t_{0}) / (E_{1} t_{1}), "
      "t the mean epoch; above 1, {1} is the better one.",
      versus.base->label, versus.other->label));
}

}  // namespace

Table case_table(const BaselineComparison& versus) {
  if (!has_common_row(versus)) return {};
  std::vector<Pair> pairs = versus.pairs;
  const bool is_of_ops = !pairs.front().any().identity.at("op").empty();
  if (is_of_ops) std::erase_if(pairs, [](const Pair& pair) { return !speed_ratio(pair).has_value(); });
  if (pairs.empty()) return {};
  Pairs table(pairs);
  add_names(table, pairs);
  const std::string& base = versus.base->label;
  const std::string& other = versus.other->label;
  const std::string what = is_of_ops ? "call" : "epoch";
  const std::string unit = is_of_ops ? "" : "s";
  table.number(base + " " + what, unit, [](const Pair& pair) { return time_cell(pair.base); });
  table.number(other + " " + what, unit, [](const Pair& pair) { return time_cell(pair.other); });
  table.number(base + " / " + other, "x",
               [](const Pair& pair) { return make_ratio_cell(speed_ratio(pair), Metric::kTime, pair); });
  table.text("95 % interval", [](const Pair& pair) { return interval_text(speed_ratio(pair)); });
  table.text(other + " is", [](const Pair& pair) {
    return pair.is_common() ? outcome_cell(speed_ratio(pair), compute_margin(pair)) : no_figure("");
  });
  if (is_of_ops)
    table.number("speed-up", "",
                 [](const Pair& pair) { return speed_up_cell(speed_ratio(pair).value().value); });
  Notes notes = {
      fmt::format("{0} / {1}: median {2} of {0} by that of {1}; above 1, {1} is faster.", base, other, what)};
  add_startups(table, versus, notes);
  add_energies(table, versus, notes);
  Table made = table.take(pair_name(versus), std::move(notes));
  return is_of_ops ? folded(std::move(made)) : made;
}

Table failure_table(const Comparison& comparison) {
  const RowNames names(make_identities(comparison.candidates));
  using Row = CandidateRow;
  std::vector<Row> rows = make_rows(comparison.candidates);
  std::erase_if(rows, [](const Row& row) { return row.figures->is_ok; });
  Columns<Row> table(rows);
  table.text("candidate", [](const Row& row) { return row.candidate->label; });
  table.text(row_noun(comparison), [&](const Row& row) { return names.of(row.figures->identity); });
  table.text("status", [](const Row& row) { return Cell{row.figures->status, {}, "", Tone::kBad}; });
  table.text("because", [](const Row& row) { return row.figures->status_reason; });
  return table.take();
}

}  // namespace gpubench
