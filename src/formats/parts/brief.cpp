#include "formats/parts/brief.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

std::string number(std::size_t count) { return with_separators(static_cast<std::int64_t>(count)); }

/// Cuts `items` to `most`; says so below the table or chart that they are of.
template <class T>
void cut(std::vector<T>& items, std::size_t most, const char* what, std::vector<std::string>& notes) {
  if (items.size() <= most) return;
  notes.push_back(
      fmt::format("Of {} {} only the first {} are here.", number(items.size()), what, number(most)));
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(most), items.end());
}

void shorten(Paragraph& /*paragraph*/) {}

void shorten(Table& table) { cut(table.rows, kMostTableRows, "rows", table.notes); }

/// Those of categories that are no longer there.
void drop_bars(Chart& chart) {
  for (Series& series : chart.series) {
    std::erase_if(series.points, [](const Point& bar) { return bar.x >= kMostCategories; });
  }
}

/// The last point stays: where a line ends is what one looks for.
void thin(std::vector<Point>& points) {
  const std::size_t stride = (points.size() + kMostChartPoints - 1) / kMostChartPoints;
  std::size_t kept = 0;
  for (std::size_t i = (points.size() - 1) % stride; i < points.size(); i += stride) {
    points[kept++] = points[i];
  }
  points.resize(kept);
}

void shorten(Chart& chart) {
  const bool has_bars = chart.kind == ChartKind::kBars && chart.x.categories.size() > kMostCategories;
  cut(chart.x.categories, kMostCategories, "bars", chart.notes);
  if (has_bars) drop_bars(chart);
  cut(chart.series, kMostChartSeries, "lines", chart.notes);
  std::size_t longest = 0;
  for (Series& series : chart.series) {
    longest = std::max(longest, series.points.size());
    if (series.points.size() > kMostChartPoints) thin(series.points);
  }
  if (longest > kMostChartPoints) {
    chart.notes.push_back(fmt::format("Of up to {} points a line at most {} are drawn, evenly spread.",
                                      number(longest), number(kMostChartPoints)));
  }
}

}  // namespace

std::vector<Section> brief(std::vector<Section> sections) {
  for (Section& section : sections) {
    for (Block& block : section.blocks) std::visit([](auto& content) { shorten(content); }, block);
  }
  return sections;
}

}  // namespace gpubench
