#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "compare/sections.h"
#include "compare/words.h"
#include "report/figure_text.h"

namespace gpubench {
namespace {

constexpr std::size_t kMostCrossings = 4;

Point point_of(double x, const Estimate& estimate) {
  Point point{x, estimate.value};
  if (estimate.interval.has_value()) {
    point.low = estimate.interval.value().low;
    point.high = estimate.interval.value().high;
  }
  return point;
}

/// What a line of a chart goes through: cases that differ in their batch size alone.
std::string line_name(const Contender& contender, const CaseFigures& figures) {
  const std::string mode = mode_text(figures.mode);
  std::string name = contender.label;
  if (!figures.sizes.empty()) name += " " + figures.sizes;
  return mode.empty() ? name : name + ", " + mode;
}

std::vector<std::string> models_of(const Comparison& comparison) {
  std::vector<std::string> models;
  for (const Contender& contender : comparison.contenders) {
    for (const CaseFigures& figures : contender.cases) {
      const bool is_known = std::find(models.begin(), models.end(), figures.model) != models.end();
      if (!is_known && figures.epoch_seconds.has_value()) models.push_back(figures.model);
    }
  }
  return models;
}

Series& series_named(const std::string& name, std::vector<Series>& all) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Series& series) { return series.name == name; });
  if (found != all.end()) return *found;
  all.push_back({name, {}});
  return all.back();
}

Chart epoch_chart(const Comparison& comparison, const std::string& model) {
  Chart chart{
      "Epoch time of " + model, ChartKind::kLines, {"batch size", "", true}, {"median epoch", "s", true}, {}};
  for (const Contender& contender : comparison.contenders) {
    for (const CaseFigures& figures : contender.cases) {
      if (figures.model != model || !figures.epoch_seconds.has_value() || figures.batch_size <= 0) continue;
      series_named(line_name(contender, figures), chart.series)
          .points.push_back(point_of(static_cast<double>(figures.batch_size), figures.epoch_seconds.value()));
    }
  }
  for (Series& series : chart.series) {
    std::sort(series.points.begin(), series.points.end(),
              [](const Point& a, const Point& b) { return a.x < b.x; });
  }
  return chart;
}

/// A bar for each case and duel of a figure that is a ratio.
class RatioChart {
 public:
  RatioChart(std::string title, std::string label)
      : chart_{std::move(title), ChartKind::kBars, {"case"}, {std::move(label), "x", true}, {}, 1.0} {}

  void add(const std::string& name, const std::string& series, const Estimate& ratio) {
    const auto [place, is_new] = places_.try_emplace(name, chart_.x.categories.size());
    if (is_new) chart_.x.categories.push_back(name);
    series_named(series, chart_.series).points.push_back(point_of(static_cast<double>(place->second), ratio));
  }

  void add_to(std::vector<Block>& blocks) const {
    if (!chart_.series.empty()) blocks.emplace_back(chart_);
  }

 private:
  Chart chart_;
  std::map<std::string, std::size_t> places_;
};

void add_ratio_charts(const Comparison& comparison, std::vector<Block>& blocks) {
  RatioChart speed("Speed: how many times as fast", "t_base / t_other");
  RatioChart energy("Energy: base over other, above 1 the other needs less", "E_base / E_other");
  for (const Duel& duel : comparison.duels) {
    const std::string series = pair_name(comparison, duel);
    for (const Pair& pair : duel.pairs) {
      const auto ratio = speed_ratio(comparison, duel, pair);
      if (ratio.has_value()) speed.add(case_name(pair.any()), series, ratio.value());
      const auto joules = energy_ratio(comparison, duel, pair);
      if (joules.has_value()) energy.add(case_name(pair.any()), series, joules.value());
    }
  }
  speed.add_to(blocks);
  energy.add_to(blocks);
}

Series fit_line(const std::string& name, const CaseFigures& figures, double most) {
  const double start = figures.startup_seconds.value();
  const double epoch = figures.epoch_seconds.value().value;
  return {name, {{0, start}, {most, start + most * epoch}}};
}

Chart crossing_chart(const Comparison& comparison, const Duel& duel, const Pair& pair, double crossing) {
  const double most = std::max(2.0, std::ceil(2 * crossing));
  Chart chart{"Time of n epochs, " + case_name(*pair.base),
              ChartKind::kLines,
              {"epochs n"},
              {"T(n) = T0 + n t", "s"},
              {}};
  chart.series = {fit_line(comparison.base_of(duel).label, *pair.base, most),
                  fit_line(comparison.other_of(duel).label, *pair.other, most)};
  chart.marks = {{crossing, fmt::format("equal after {} epochs", figure_text(crossing))}};
  return chart;
}

void add_crossings(const Comparison& comparison, const Duel& duel, std::vector<Block>& blocks) {
  using Kind = BreakEven::Kind;
  std::size_t count = 0;
  for (const Pair& pair : duel.pairs) {
    const Reading<BreakEven> point = break_even(comparison, duel, pair);
    if (!point.has_value() || count == kMostCrossings) continue;
    const Kind kind = point.value().kind;
    if (kind != Kind::kBaseOvertakes && kind != Kind::kOtherOvertakes) continue;
    blocks.emplace_back(crossing_chart(comparison, duel, pair, point.value().epochs));
    ++count;
  }
}

}  // namespace

std::vector<Block> comparison_charts(const Comparison& comparison) {
  std::vector<Block> blocks;
  if (comparison.duels.size() > kMostDetailed) return blocks;
  add_ratio_charts(comparison, blocks);
  for (Chart& chart : energy_charts(comparison)) blocks.emplace_back(std::move(chart));
  for (const std::string& model : models_of(comparison)) blocks.emplace_back(epoch_chart(comparison, model));
  for (const Duel& duel : comparison.duels) add_crossings(comparison, duel, blocks);
  return blocks;
}

}  // namespace gpubench
