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

std::vector<std::string> models_of(const Comparison& comparison) {
  std::vector<std::string> models;
  for (const ContenderRow& row : rows_of(comparison.contenders)) {
    const std::string& model = row.figures->identity.subject();
    const bool is_known = std::ranges::find(models, model) != models.end();
    if (!is_known && row.figures->seconds.has_value()) models.push_back(model);
  }
  return models;
}

Chart epoch_chart(const Comparison& comparison, const std::string& model, const RowNames& names) {
  Chart chart{
      "Epoch time of " + model, ChartKind::kLines, {"batch size", "", true}, {"median epoch", "s", true}, {}};
  for (const auto& [contender, row] : rows_of(comparison.contenders)) {
    const std::int64_t batch = row->identity.number("batch");
    if (row->identity.subject() != model || !row->seconds.has_value() || batch <= 0) continue;
    series_called(line_name(*contender, row->identity, names), chart.series)
        .points.push_back(point_of(static_cast<double>(batch), row->seconds.value()));
  }
  sort_points(chart.series);
  return chart;
}

/// A bar for each case and duel of a figure that is a ratio; nothing where there is none.
void add_ratio_chart(const Comparison& comparison, const RowNames& names, const std::string& title,
                     const std::string& label, PairRatio ratio_of, std::vector<Block>& blocks) {
  Chart chart{title, ChartKind::kBars, {"case"}, {label, "x", true}, {}, 1.0};
  for (const Duel& duel : comparison.duels) {
    for (const RowRatio& ratio : row_ratios(duel, ratio_of))
      add_bar(chart, pair_name(duel), names.of(ratio.base_row->identity), ratio.ratio);
  }
  if (!chart.series.empty()) blocks.emplace_back(std::move(chart));
}

Series fit_line(const std::string& name, const RowFigures& figures, double most) {
  const double start = figures.startup_seconds.value();
  const double epoch = figures.seconds.value().value;
  return {name, {{0, start}, {most, start + most * epoch}}};
}

Chart crossing_chart(const Pair& pair, const std::string& name, double crossing) {
  const double most = std::max(2.0, std::ceil(2 * crossing));
  Chart chart{"Time of n epochs, " + name, ChartKind::kLines, {"epochs n"}, {"T(n) = T0 + n t", "s"}, {}};
  chart.series = {fit_line(pair.duel->base->label, *pair.base, most),
                  fit_line(pair.duel->other->label, *pair.other, most)};
  chart.marks = {{crossing, fmt::format("equal after {} epochs", figure_text(crossing))}};
  return chart;
}

void add_crossings(const Duel& duel, const RowNames& names, std::vector<Block>& blocks) {
  using Kind = BreakEven::Kind;
  std::size_t count = 0;
  for (const Pair& pair : duel.pairs) {
    const Reading<BreakEven> point = break_even(pair);
    if (!point.has_value() || count == kMostCrossings) continue;
    const Kind kind = point.value().kind;
    if (kind != Kind::kBaseOvertakes && kind != Kind::kOtherOvertakes) continue;
    blocks.emplace_back(crossing_chart(pair, names.of(pair.base->identity), point.value().epochs));
    ++count;
  }
}

using Place = ContenderRow;

double seconds_of(const Place& place) { return place.figures->seconds.value().value; }
double joules_of(const Place& place) { return place.figures->epoch_joules.value().value; }

/// Of what has both figures, from fast to slow.
std::vector<Place> places_of(const Comparison& comparison) {
  std::vector<Place> places = rows_of(comparison.contenders);
  std::erase_if(places, [](const Place& place) {
    const RowFigures& row = *place.figures;
    return !row.seconds.has_value() || !row.epoch_joules.has_value() || !(row.epoch_joules.value().value > 0);
  });
  std::ranges::stable_sort(places, {}, seconds_of);
  return places;
}

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

Point point_of(const Place& place, const RowNames& names) {
  Point point = point_of(seconds_of(place), place.figures->epoch_joules.value());
  point.name = names.of(place.figures->identity);
  return point;
}

/// Time against energy: which cases are worth their joules.
Chart front_chart(const Comparison& comparison, const std::vector<Place>& places, const RowNames& names) {
  Chart chart{"Time and energy of an epoch",
              ChartKind::kPoints,
              {"median epoch", "s", true},
              {"energy of an epoch", "J", true},
              {}};
  for (const Contender& contender : comparison.contenders) {
    for (const Place& place : places) {
      if (place.contender != &contender) continue;
      const char* where = is_beaten(comparison, place, places) ? "beaten" : "on the front";
      series_called(fmt::format("{}, {}", contender.label, where), chart.series)
          .points.push_back(point_of(place, names));
    }
  }
  chart.notes = {
      "On the Pareto front: no comparable case of the same model by another contender is both faster and "
      "needs less energy."};
  return chart;
}

/// Nothing where fewer than two contenders have both.
void add_front(const Comparison& comparison, const RowNames& names, std::vector<Block>& blocks) {
  const std::vector<Place> places = places_of(comparison);
  const bool has_several = std::ranges::any_of(
      places, [&](const Place& place) { return place.contender != places.front().contender; });
  if (has_several) blocks.emplace_back(front_chart(comparison, places, names));
}

}  // namespace

std::vector<Block> comparison_charts(const Comparison& comparison) {
  std::vector<Block> blocks;
  if (comparison.duels.size() > kMostDetailed) return blocks;
  const RowNames names(identities_of(comparison.contenders));
  add_ratio_chart(comparison, names, "Speed: how many times as fast", "t_base / t_other", speed_ratio,
                  blocks);
  add_ratio_chart(comparison, names, "Energy: base over other, above 1 the other needs less",
                  "E_base / E_other", energy_ratio, blocks);
  add_front(comparison, names, blocks);
  for (const std::string& model : models_of(comparison))
    blocks.emplace_back(epoch_chart(comparison, model, names));
  for (const Duel& duel : comparison.duels) add_crossings(duel, names, blocks);
  return blocks;
}

}  // namespace gpubench
