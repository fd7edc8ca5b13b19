#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/nearest.h"
#include "pages/comparison/sections.h"
#include "pages/format.h"

namespace gpubench {
namespace {

using Pairs = Columns<Pair>;
using Notes = std::vector<std::string>;

/// "mlp, batch 128"; of sides that differ "mlp, batch 128 / mlp, batch 128, bf16".
std::string format_case(const Pair& pair, const RowNames& names) {
  const auto format = [&](const RowFigures& row) { return names.of(row.identity.without({"device"})); };
  const std::string one = format(pair.any());
  if (!pair.is_common() || one == format(*pair.other)) return one;
  return one + " / " + format(*pair.other);
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

/// The ratio; in the details with the differences that are caveats of the metric.
Cell make_ratio_cell(const ComparedMetric& metric, const Pair& pair, bool is_detailed) {
  Cell cell = ratio_cell(compute_ratio(metric, pair));
  // The times say that a row is missing or failed.
  if (!pair.is_common() || !pair.base->is_ok || !pair.other->is_ok) cell.note.clear();
  if (!cell.value) return cell;
  if (!is_detailed) cell.note.clear();
  Notes caveats;
  for (const Difference& difference : pair.differences) {
    if (is_detailed && difference.on(metric.metric) != Comparability::kComparable)
      caveats.push_back(format_sentence(difference, *pair.versus));
  }
  if (!caveats.empty()) cell.note = join(caveats, "; ");
  return cell;
}

/// Adds the ratio of each metric that any row has, and its interval.
void add_ratios(Pairs& table, const std::string& times, bool is_detailed) {
  for (const ComparedMetric& metric : kComparedMetrics) {
    const bool is_time = metric.metric == Metric::kTime;
    const auto has_ratio = [&](const Pair& pair) { return compute_ratio(metric, pair).has_value(); };
    if (!is_time && !table.any(has_ratio)) continue;
    if (!is_time && !is_detailed && &metric != &kEnergy) continue;
    table.number(is_time ? times : metric.label, "x",
                 [&](const Pair& pair) { return make_ratio_cell(metric, pair, is_detailed); });
    const auto interval = [&](const Pair& pair) { return interval_text(compute_ratio(metric, pair)); };
    if (is_time || is_detailed) table.add_told({"95 % interval"}, interval);
  }
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
  notes.emplace_back("Start-up: set-up, and the excess of the first epoch over a median one.");
}

}  // namespace

Table case_table(const BaselineComparison& versus, bool is_detailed) {
  if (!has_common_row(versus)) return {};
  std::vector<Pair> pairs = versus.pairs;
  const bool is_of_ops = has_operations(*versus.base);
  if (is_of_ops) std::erase_if(pairs, [](const Pair& pair) { return !speed_ratio(pair).has_value(); });
  const RowNames names(
      mapped(versus.pairs, [](const Pair& pair) { return pair.any().identity.without({"device"}); }));
  const std::size_t count = pairs.size();
  if (!is_detailed) pairs.resize(std::min(count, kMostAnswerRows));
  Pairs table(pairs);
  const std::string& base = versus.base->label;
  const std::string& other = versus.other->label;
  const std::string what = is_of_ops ? "call" : "epoch";
  const std::string unit = is_of_ops ? "" : "s";
  table.text(is_of_ops ? "row" : "case", [&](const Pair& pair) { return format_case(pair, names); });
  table.number(base + " " + what, unit, [](const Pair& pair) { return time_cell(pair.base); });
  table.number(other + " " + what, unit, [](const Pair& pair) { return time_cell(pair.other); });
  add_ratios(table, base + " / " + other, is_detailed);
  table.text(other + " is", [](const Pair& pair) {
    return pair.is_common() ? outcome_cell(speed_ratio(pair), compute_margin(pair)) : no_figure("");
  });
  Notes notes = {fmt::format("Median {}; ratios above 1: {} is better", what, other)};
  if (is_detailed) add_startups(table, versus, notes);
  if (pairs.size() < count) notes.push_back(fmt::format("{} more in the details", count - pairs.size()));
  return table.take(is_detailed ? pair_name(versus) : "", std::move(notes));
}

}  // namespace gpubench
