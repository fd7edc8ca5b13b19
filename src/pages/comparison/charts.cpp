#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compare/row_names.h"
#include "gpubench/core/text/figures.h"
#include "pages/comparison/comparison_page.h"
#include "pages/comparison/sections.h"
#include "pages/words.h"

namespace gpubench {
namespace {

constexpr std::size_t kMostCrossings = 4;

/// What a line of a chart goes through: cases that differ in their batch size alone.
std::string line_name(const Contender& contender, const RowIdentity& identity, const RowNames& names) {
  const std::string rest = names.of(identity.without({"model", "batch"}));
  return rest.empty() ? contender.label : contender.label + ", " + rest;
}

Chart epoch_chart(const std::string& model, const std::vector<ContenderRow>& timed, const RowNames& names) {
  Chart chart{
      "Epoch time of " + model, ChartKind::kLines, {"batch size", "", true}, {"median epoch", "s", true}, {}};
  for (const auto& [contender, row] : timed) {
    const std::int64_t batch = row->identity.number("batch");
    if (batch <= 0) continue;
    series_called(line_name(*contender, row->identity, names), chart.series)
        .points.push_back(point_of(static_cast<double>(batch), row->seconds.value()));
  }
  sort_points(chart.series);
  return chart;
}

/// A bar for each case and duel of a figure that is a ratio.
Chart ratio_chart(const Comparison& comparison, const RowNames& names, std::string title, std::string label,
                  const PairRatio& kind) {
  Chart chart{std::move(title), ChartKind::kBars, {"case"}, {std::move(label), "x", true}, {}, 1.0};
  for (const Duel& duel : comparison.duels) {
    for (const RowRatio& ratio : row_ratios(duel, kind))
      add_bar(chart, pair_name(duel), names.of(ratio.base_row->identity), ratio.ratio);
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
  chart.series = {fit_line(pair.duel->base->label, *pair.base, most),
                  fit_line(pair.duel->other->label, *pair.other, most)};
  chart.marks = {{crossing, fmt::format("equal after {} epochs", figure_text(crossing))}};
  return chart;
}

std::vector<Chart> crossing_charts(const Duel& duel, const RowNames& names) {
  std::vector<Chart> charts;
  for (const Pair& pair : duel.pairs) {
    const Reading<BreakEven> point = break_even(pair);
    if (!point.has_value() || charts.size() == kMostCrossings) continue;
    const double epochs = point.value().epochs;
    if (epochs > 1) charts.push_back(crossing_chart(pair, names.of(pair.base->identity), epochs));
  }
  return charts;
}

using Place = ContenderRow;

double seconds_of(const Place& place) { return place.figures->seconds.value().value; }
double joules_of(const Place& place) { return place.figures->epoch_joules.value().value; }

/// Whether times and energies of both are of the same work.
bool are_comparable(const Comparison& comparison, const RowFigures& a, const RowFigures& b) {
  if (work_of(a.identity).without({"batch"}) != work_of(b.identity).without({"batch"})) return false;
  if (comparison.is_forced) return true;
  const std::vector<Difference> all = differences(a, b);
  return judgement_on(Metric::kTime, all) != Judgement::kRefused &&
         judgement_on(Metric::kEnergy, all) != Judgement::kRefused;
}

bool is_beaten(const Comparison& comparison, const Place& place, const std::vector<Place>& places) {
  return std::ranges::any_of(places, [&](const Place& other) {
    return other.contender != place.contender && seconds_of(other) < seconds_of(place) &&
           joules_of(other) < joules_of(place) && are_comparable(comparison, *other.figures, *place.figures);
  });
}

/// Time against energy of what has both: which cases are worth their joules. Without series where fewer than
/// two contenders have both.
Chart front_chart(const Comparison& comparison, std::vector<Place> places, const RowNames& names) {
  std::erase_if(places, [](const Place& place) {
    return !place.figures->epoch_joules.has_value() || !(joules_of(place) > 0);
  });
  std::ranges::stable_sort(places, {}, seconds_of);
  Chart chart{"Time and energy of an epoch",
              ChartKind::kPoints,
              {"median epoch", "s", true},
              {"energy of an epoch", "J", true},
              {}};
  if (grouped(places, &Place::contender).size() < 2) return chart;
  for (const Contender& contender : comparison.contenders) {
    for (const Place& place : places) {
      if (place.contender != &contender) continue;
      const char* where = is_beaten(comparison, place, places) ? "beaten" : "on the front";
      Point point = point_of(seconds_of(place), place.figures->epoch_joules.value());
      point.name = names.of(place.figures->identity);
      series_called(fmt::format("{}, {}", contender.label, where), chart.series)
          .points.push_back(std::move(point));
    }
  }
  chart.notes = {
      "On the Pareto front: no comparable case of the same model by another contender was measured to be "
      "both "
      "faster and in need of less energy."};
  return chart;
}

}  // namespace

std::vector<Block> comparison_charts(const Comparison& comparison) {
  std::vector<Block> blocks;
  const RowNames names(identities_of(comparison.contenders));
  std::vector<ContenderRow> timed = rows_of(comparison.contenders);
  std::erase_if(timed, [](const ContenderRow& row) { return !row.figures->seconds.has_value(); });
  add_content(blocks,
              ratio_chart(comparison, names, "Speed: how many times as fast", "t_base / t_other", kSpeed));
  add_content(blocks, ratio_chart(comparison, names, "Energy: base over other, above 1 the other needs less",
                                  "E_base / E_other", kEnergy));
  add_content(blocks, front_chart(comparison, timed, names));
  const auto model_of = [](const ContenderRow& row) { return row.figures->identity.subject(); };
  for (const auto& [model, rows] : grouped(timed, model_of))
    add_content(blocks, epoch_chart(model, rows, names));
  for (const Duel& duel : comparison.duels) add_content(blocks, crossing_charts(duel, names));
  return blocks;
}

}  // namespace gpubench
