#include <algorithm>

#include <fmt/format.h>

#include "pages/comparison/comparison_page.h"
#include "pages/comparison/sections.h"
#include "pages/format.h"

namespace gpubench {
namespace {

Chart epoch_chart(const std::string& model, const std::vector<CandidateRow>& timed, const RowNames& names) {
  Chart chart{
      "Epoch time of " + model, ChartKind::kLines, {"batch size", "", true}, {"median epoch", "s", true}, {}};
  for (const auto& [candidate, row] : timed) {
    const std::int64_t batch = row->identity.number("batch_size");
    if (batch <= 0) continue;
    // A line goes through cases that differ in their batch size alone.
    const std::string rest = names.of(row->identity.without({"model", "batch_size"}));
    add_point(chart.series, rest.empty() ? candidate->label : candidate->label + ", " + rest,
              make_point(static_cast<double>(batch), row->seconds.value()));
  }
  sort_points(chart.series);
  return chart;
}

/// A bar for each versus and case; for each operation, whose rows are too many for a chart.
Chart ratio_chart(const Comparison& comparison, const RowNames& names, const ComparedMetric& metric) {
  Chart chart{fmt::format("Ratio of {}: above 1 the first of the pair is better", metric.label),
              ChartKind::kBars,
              {are_operations(comparison) ? "operation" : "case"},
              {metric.formula, "x", true},
              {},
              1.0};
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    const std::vector<RowRatio> ratios = row_ratios(versus, metric);
    const auto find_subject = [](const RowRatio& row) { return row.base.figures->identity.subject(); };
    if (are_operations(comparison)) {
      for (const auto& [operation, rows] : grouped(ratios, find_subject))
        add_bar(chart, pair_name(versus), operation, compute_mean(rows));
    } else {
      for (const RowRatio& row : ratios)
        add_bar(chart, pair_name(versus), names.of(row.base.figures->identity), row.ratio);
    }
  }
  return chart;
}

using Place = CandidateRow;

double to_seconds(const Place& place) { return place.figures->seconds.value().value; }
double compute_joules(const Place& place) { return place.figures->epoch_joules.value().value; }

/// Time against energy of cases that have both. Without series if fewer than two candidates have both.
Chart front_chart(std::vector<Place> places, const RowNames& names) {
  std::erase_if(places, [](const Place& place) {
    return !place.figures->epoch_joules.has_value() || !(compute_joules(place) > 0);
  });
  Chart chart{"Time and energy of an epoch",
              ChartKind::kPoints,
              {"median epoch", "s", true},
              {"energy of an epoch", "J", true},
              {}};
  if (grouped(places, &Place::candidate).size() < 2) return chart;
  for (const Place& place : places) {
    Point point = make_point(to_seconds(place), place.figures->epoch_joules.value());
    point.name = names.of(place.figures->identity);
    add_point(chart.series, place.candidate->label, std::move(point));
  }
  sort_points(chart.series);
  return chart;
}

}  // namespace

std::vector<Block> comparison_charts(const Comparison& comparison) {
  std::vector<Block> blocks;
  const RowNames names(make_identities(comparison.candidates));
  std::vector<CandidateRow> timed = make_rows(comparison.candidates);
  std::erase_if(timed, [](const CandidateRow& row) { return !row.figures->seconds.has_value(); });
  for (const ComparedMetric* metric : {&kSpeed, &kEnergy})
    add_content(blocks, ratio_chart(comparison, names, *metric));
  add_content(blocks, front_chart(timed, names));
  if (are_operations(comparison)) return blocks;
  const auto find_model = [](const CandidateRow& row) { return row.figures->identity.subject(); };
  for (const auto& [model, rows] : grouped(timed, find_model))
    add_content(blocks, epoch_chart(model, rows, names));
  return blocks;
}

}  // namespace gpubench
