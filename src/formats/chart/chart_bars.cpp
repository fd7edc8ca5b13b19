// Horizontal bars, grouped by category: names of any length stay readable, and many categories make it
// higher.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formats/chart/chart.h"
#include "formats/parts/page_text.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

constexpr double kBetweenGroups = 12;
constexpr double kLabelRow = 18;
constexpr double kTall = 500;           // From here on the ticks have labels above, too.
constexpr double kWidestLabels = 0.36;  // Of the whole; wider ones go above their bars.

double thickness(std::size_t series) {
  if (series <= 2) return 14;
  return series <= 4 ? 11 : 8;
}

struct Bars {
  const Chart& chart;
  std::string id;
  double width;
  double bar;  ///< Thickness of one.
  bool has_rows_of_labels;
  Area area{};
  Scale scale{};
  double start = 0;  ///< Of bars, in pixels.

  /// From one category to the next.
  double step() const {
    const double bars = bar * static_cast<double>(std::max<std::size_t>(1, chart.series.size()));
    return bars + kBetweenGroups + (has_rows_of_labels ? kLabelRow : 0);
  }
  double top_of_bars(std::size_t category) const {
    return area.top + kBetweenGroups / 2 + (has_rows_of_labels ? kLabelRow : 0) +
           step() * static_cast<double>(category);
  }
  bool has_place_for(const Point& point) const {
    return point.x >= 0 && point.x < static_cast<double>(chart.x.categories.size()) &&
           can_show(point.y, chart.y.is_logarithmic);
  }
};

// Without a baseline, bars of a linear axis start at 0.
Range value_range(const Chart& chart) {
  std::vector<double> values = y_values(chart);
  if (!chart.baseline && !chart.y.is_logarithmic) values.push_back(0);
  return compute_range(values, chart.y.is_logarithmic);
}

double start_of_bars(const Chart& chart, Range range) {
  if (chart.baseline && can_show(*chart.baseline, chart.y.is_logarithmic)) return *chart.baseline;
  return chart.y.is_logarithmic ? range.low : 0;
}

std::string whisker(const Bars& bars, const Point& point, double middle) {
  if (!has_interval(point, bars.chart.y)) return "";
  const double half = std::min(3.0, bars.bar / 2 - 2);
  return fmt::format(
      "<path class=\"halo\" d=\"{0}\"/><path class=\"whisker ink\" d=\"{0}\"/>",
      fmt::format("M{0} {1}H{2}M{0} {3}v{4}M{2} {3}v{4}", px(bars.scale.at(*point.low)), px(middle),
                  px(bars.scale.at(*point.high)), px(middle - half), px(2 * half)));
}

std::string bar(const Bars& bars, std::size_t series, const Point& point) {
  const double end = bars.scale.at(point.y);
  const double top =
      bars.top_of_bars(static_cast<std::size_t>(point.x)) + bars.bar * static_cast<double>(series);
  return fmt::format("<g>{}<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>{}</g>\n",
                     tooltip(bars.chart, bars.chart.series[series], point), px(std::min(bars.start, end)),
                     px(top + 1), px(std::max(1.0, std::abs(end - bars.start))), px(bars.bar - 2),
                     bar_fill(series, bars.id), whisker(bars, point, top + bars.bar / 2));
}

std::string draw_bars(const Bars& bars) {
  std::string svg;
  for (std::size_t i = 0; i < bars.chart.series.size(); ++i) {
    svg += fmt::format("<g class=\"{}\">\n", series_class(i));
    for (const Point& point : bars.chart.series[i].points) {
      if (bars.has_place_for(point)) svg += bar(bars, i, point);
    }
    svg += "</g>\n";
  }
  const char* look = bars.chart.baseline ? "baseline" : "axis";
  return svg + line_between(bars.start, bars.area.top, bars.start, bars.area.bottom, look);
}

std::string labels(const Bars& bars) {
  std::string svg;
  const double room = bars.has_rows_of_labels ? bars.width : bars.area.left - 8;
  for (std::size_t i = 0; i < bars.chart.x.categories.size(); ++i) {
    const std::string name = shortened(bars.chart.x.categories[i], room);
    const double middle = bars.top_of_bars(i) + bars.bar * static_cast<double>(bars.chart.series.size()) / 2;
    svg += bars.has_rows_of_labels ? text_at(0, bars.top_of_bars(i) - 5, "over", name)
                                   : text_at(bars.area.left - 8, middle + kFontSize * 0.35, "end", name);
  }
  return svg;
}

Bars laid_out(const Chart& chart, const std::string& id, double width, double top) {
  double widest = 0;
  for (const std::string& name : chart.x.categories) widest = std::max(widest, text_width(name));
  Bars bars{chart, id, width, thickness(chart.series.size()), widest > kWidestLabels * width};
  const double left = bars.has_rows_of_labels ? 1 : widest + 10;
  const double height =
      bars.step() * static_cast<double>(std::max<std::size_t>(1, chart.x.categories.size()));
  const double start = top + (height > kTall ? kTickRow : 0);
  bars.area = {left, start, width - kRightRoom, start + height};
  bars.scale = {value_range(chart), chart.y.is_logarithmic, left, bars.area.right};
  bars.start = bars.scale.at(start_of_bars(chart, bars.scale.range));
  return bars;
}

}  // namespace

Drawing bar_chart(const Chart& chart, const std::string& id, double width) {
  const Drawing names = legend(chart, id, width);
  const double title_row = chart.x.label.empty() ? 0 : kLabelRow;
  const Bars bars = laid_out(chart, id, width, names.height + title_row);
  const Area& area = bars.area;
  const int most = static_cast<int>((area.right - area.left) / 65);
  const std::vector<double> ticks = axis_ticks(chart.y, y_values(chart), bars.scale.range, most);

  std::string svg = bar_hatching(chart, id) + names.content;
  if (title_row > 0) svg += text_at(0, names.height + 10, "dim", shortened(chart.x.label, width));
  svg += axis_below(ticks, bars.scale, chart.y.unit, area, width) + draw_bars(bars) + labels(bars);
  if (area.bottom - area.top > kTall) svg += tick_row(ticks, bars.scale, chart.y.unit, area.top - 7, width);
  return with_title_below(std::move(svg), chart.y, area, width);
}

namespace {

std::string description(const Chart& chart) {
  const char* kind = chart.kind == ChartKind::kBars    ? "Bars"
                     : chart.kind == ChartKind::kLines ? "Lines"
                                                       : "Points";
  std::string text = fmt::format("{}: {} by {}", kind, chart.y.label, chart.x.label);
  if (!chart.series.empty()) text += "; " + join(names_in(chart.series));
  for (const Mark& mark : chart.marks) text += "; " + mark.text;
  return text + ".";
}

}  // namespace

Drawing draw_chart(const Chart& chart, const std::string& id, double width, const std::string& attributes) {
  Drawing drawing =
      chart.kind == ChartKind::kBars ? bar_chart(chart, id, width) : line_chart(chart, id, width);
  drawing.content = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "role=\"img\" aria-labelledby=\"{2}-title {2}-desc\"{3}>\n"
      "<title id=\"{2}-title\">{4}</title>\n<desc id=\"{2}-desc\">{5}</desc>\n{6}</svg>\n",
      px(width), px(drawing.height), id, attributes, escaped(chart.title), escaped(description(chart)),
      drawing.content);
  return drawing;
}

}  // namespace gpubench
