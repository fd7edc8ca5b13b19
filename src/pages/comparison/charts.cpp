#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compare/row_names.h"
#include "gpubench/core/text/figures.h"
#include "pages/comparison/comparison_page.h"
#include "pages/comparison/sections.h"
#include "pages/format.h"

namespace gpubench {
namespace {

constexpr std::size_t kMostCrossings = 4;

/// What a line of a chart goes through: cases that differ in their batch size alone.
std::string line_name(const Candidate& candidate, const RowIdentity& identity, const RowNames& names) {
  const std::string rest = names.of(identity.without({"model", "batch_size"}));
  return rest.empty() ? candidate.label : candidate.label + ", " + rest;
}

Chart epoch_chart(const std::string& model, const std::vector<CandidateRow>& timed, const RowNames& names) {
  Chart chart{
      "Epoch time of " + model, ChartKind::kLines, {"batch size", "", true}, {"median epoch", "s", true}, {}};
  for (const auto& [candidate, row] : timed) {
    const std::int64_t batch = row->identity.number("batch_size");
    if (batch <= 0) continue;
    series_called(line_name(*candidate, row->identity, names), chart.series)
        .points.push_back(make_point(static_cast<double>(batch), row->seconds.value()));
  }
  sort_points(chart.series);
  return chart;
}

/// A bar for each case and versus of a figure that is a ratio.
Chart ratio_chart(const Comparison& comparison, const RowNames& names, std::string title, std::string label,
                  const PairRatio& kind) {
  Chart chart{std::move(title), ChartKind::kBars, {"case"}, {std::move(label), "x", true}, {}, 1.0};
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    for (const RowRatio& ratio : row_ratios(versus, kind))
      add_bar(chart, pair_name(versus), names.of(ratio.base_row->identity), ratio.ratio);
  }
  return chart;
}

Series fit_line(const std::string& name, const RowFigures& figures, double most) {
  const double start = figures.startup_seconds.value();
  const double epoch = figures.seconds.value().value;
  return {name, {{1, start + epoch}, {most, start + most * epoch}}};
}

Chart crossing_chart(const Pair& pair, const std::string& name, double crossing) {
  const double most = std::max(2.0, std::ceil(2 * crossing));
  Chart chart{"Time of n epochs, " + name, ChartKind::kLines, {"epochs n"}, {"T(n) = T0 + n t", "s"}, {}};
  chart.series = {fit_line(pair.versus->base->label, *pair.base, most),
                  fit_line(pair.versus->other->label, *pair.other, most)};
  chart.marks = {{crossing, fmt::format("equal after {} epochs", figure_text(crossing))}};
  return chart;
}

std::vector<Chart> crossing_charts(const BaselineComparison& versus, const RowNames& names) {
  std::vector<Chart> charts;
  for (const Pair& pair : versus.pairs) {
    const Measured<BreakEven> point = break_even(pair);
    if (!point.has_value() || charts.size() == kMostCrossings) continue;
    const double epochs = point.value().epochs;
    if (epochs > 1) charts.push_back(crossing_chart(pair, names.of(pair.base->identity), epochs));
  }
  return charts;
}

using Place = CandidateRow;

double to_seconds(const Place& place) { return place.figures->seconds.value().value; }
double compute_joules(const Place& place) { return place.figures->epoch_joules.value().value; }

/// Whether times and energies of both are of the same work.
bool are_comparable(const Comparison& comparison, const RowFigures& a, const RowFigures& b) {
  if (to_work(a.identity).without({"batch_size"}) != to_work(b.identity).without({"batch_size"}))
    return false;
  if (comparison.is_forced) return true;
  const std::vector<Difference> all = differences(a, b);
  return comparability_on(Metric::kTime, all) != Comparability::kRefused &&
         comparability_on(Metric::kEnergy, all) != Comparability::kRefused;
}

bool is_beaten(const Comparison& comparison, const Place& place, const std::vector<Place>& places) {
  return std::ranges::any_of(places, [&](const Place& other) {
    return other.candidate != place.candidate && to_seconds(other) < to_seconds(place) &&
           compute_joules(other) < compute_joules(place) &&
           are_comparable(comparison, *other.figures, *place.figures);
  });
}

/// Time against energy of what has both: which cases are worth their joules. Without series where fewer than
/// two candidates have both.
Chart front_chart(const Comparison& comparison, std::vector<Place> places, const RowNames& names) {
  std::erase_if(places, [](const Place& place) {
    return !place.figures->epoch_joules.has_value() || !(compute_joules(place) > 0);
  });
  std::ranges::stable_sort(places, {}, to_seconds);
  Chart chart{"Time and energy of an epoch",
              ChartKind::kPoints,
              {"median epoch", "s", true},
              {"energy of an epoch", "J", true},
              {}};
  if (grouped(places, &Place::candidate).size() < 2) return chart;
  for (const Candidate& candidate : comparison.candidates) {
    for (const Place& place : places) {
      if (place.candidate != &candidate) continue;
      const char* where = is_beaten(comparison, place, places) ? "beaten" : "on the front";
      Point point = make_point(to_seconds(place), place.figures->epoch_joules.value());
      point.name = names.of(place.figures->identity);
      series_called(fmt::format("{}, {}", candidate.label, where), chart.series)
          .points.push_back(std::move(point));
    }
  }
  chart.notes = {
      "On the Pareto front: no comparable case of the same model by another candidate was measured to be "
      "both "
      "faster and in need of less energy."};
  return chart;
}

}  // namespace

std::vector<Block> comparison_charts(const Comparison& comparison) {
  std::vector<Block> blocks;
  const RowNames names(make_identities(comparison.candidates));
  std::vector<CandidateRow> timed = make_rows(comparison.candidates);
  std::erase_if(timed, [](const CandidateRow& row) { return !row.figures->seconds.has_value(); });
  add_content(blocks,
              ratio_chart(comparison, names, "Speed: how many times as fast", "t_base / t_other", kSpeed));
  add_content(blocks, ratio_chart(comparison, names, "Energy: base over other, above 1 the other needs less",
                                  "E_base / E_other", kEnergy));
  add_content(blocks, front_chart(comparison, timed, names));
  const auto find_model = [](const CandidateRow& row) { return row.figures->identity.subject(); };
  for (const auto& [model, rows] : grouped(timed, find_model))
    add_content(blocks, epoch_chart(model, rows, names));
  for (const BaselineComparison& versus : comparison.versus_baseline)
    add_content(blocks, crossing_charts(versus, names));
  return blocks;
}

}  // namespace gpubench
