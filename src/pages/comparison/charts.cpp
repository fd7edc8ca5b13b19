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

/// A bar for each case and versus.
Chart ratio_chart(const Comparison& comparison, const RowNames& names, std::string title, std::string label,
                  const PairRatio& kind) {
  Chart chart{std::move(title), ChartKind::kBars, {"case"}, {std::move(label), "x", true}, {}, 1.0};
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    for (const RowRatio& ratio : row_ratios(versus, kind))
      add_bar(chart, pair_name(versus), names.of(ratio.base.figures->identity), ratio.ratio);
  }
  return chart;
}

/// A bar for each operation and versus: its rows are too many for a chart.
Chart operation_chart(const Comparison& comparison) {
  Chart chart{"Speed: how many times as fast",
              ChartKind::kBars,
              {"operation"},
              {"t_base / t_other", "x", true},
              {},
              1.0};
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    for (const SubjectRatios& one : ratios_by_subject(versus))
      add_bar(chart, pair_name(versus), one.subject.empty() ? "all" : one.subject, compute_mean(one.rows));
  }
  return chart;
}

using Place = CandidateRow;

double to_seconds(const Place& place) { return place.figures->seconds.value().value; }
double compute_joules(const Place& place) { return place.figures->epoch_joules.value().value; }

/// Returns whether times and energies of both are of the same work.
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

/// Time against energy of cases that have both. Without series if fewer than two candidates have both.
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
      add_point(chart.series, fmt::format("{}, {}", candidate.label, where), std::move(point));
    }
  }
  chart.notes = {
      "On the Pareto front: no comparable case of the same model by another candidate was measured to be "
      "both faster and in need of less energy."};
  return chart;
}

}  // namespace

std::vector<Block> comparison_charts(const Comparison& comparison) {
  std::vector<Block> blocks;
  const RowNames names(make_identities(comparison.candidates));
  std::vector<CandidateRow> timed = make_rows(comparison.candidates);
  std::erase_if(timed, [](const CandidateRow& row) { return !row.figures->seconds.has_value(); });
  add_content(blocks, are_operations(comparison)
                          ? operation_chart(comparison)
                          : ratio_chart(comparison, names, "Speed: how many times as fast",
                                        "t_base / t_other", kSpeed));
  add_content(blocks, ratio_chart(comparison, names, "Energy: base over other, above 1 the other needs less",
                                  "E_base / E_other", kEnergy));
  add_content(blocks, front_chart(comparison, timed, names));
  if (are_operations(comparison)) return blocks;
  const auto find_model = [](const CandidateRow& row) { return row.figures->identity.subject(); };
  for (const auto& [model, rows] : grouped(timed, find_model))
    add_content(blocks, epoch_chart(model, rows, names));
  return blocks;
}

}  // namespace gpubench
