#include <algorithm>
#include <array>
#include <cmath>

#include "formats/chart/chart.h"
#include "formats/chart/scale.h"
#include "formats/parts/page_text.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/text/utf8.h"

namespace gpubench {
namespace {

constexpr std::size_t kRows = 11;
constexpr std::size_t kLeastColumns = 20;
constexpr std::size_t kRightEdge = 6;  // Space for half of the last tick's label.

const char* text_marker(std::size_t series) {
  constexpr std::array kMarkers = {"●", "○", "■", "□"};
  return kMarkers.at(series % kMarkers.size());
}

using Line = std::vector<std::string>;  // A character per element.

std::size_t place(const Scale& scale, double value) {
  return static_cast<std::size_t>(std::lround(scale.at(value)));
}

/// Draws the points over their intervals. Line 0 is the top.
void draw_points(const Chart& chart, const Scale& x, const Scale& y, std::vector<Line>& lines) {
  for (const Series& series : chart.series) {
    for (const Point& point : series.points) {
      if (!point.low) continue;
      for (std::size_t row = place(y, *point.high); row <= place(y, *point.low); ++row)
        lines.at(row).at(place(x, point.x)) = "│";
    }
  }
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    for (const Point& point : chart.series[i].points)
      lines.at(place(y, point.y)).at(place(x, point.x)) = text_marker(i);
  }
}

std::string without_trailing_spaces(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// Returns the axis and labels below a plot that begins after `left` characters.
std::string draw_bottom(const Scale& x, std::size_t left, std::size_t columns) {
  Line axis(columns, "─");
  std::string labels(left + 1, ' ');
  for (const Tick& tick : x.ticks) {
    const std::size_t column = place(x, tick.value);
    axis.at(column) = "┬";
    const std::size_t middle = left + 1 + column;
    const std::size_t start = middle - std::min(middle, tick.label.size() / 2);
    if (start < labels.size() && column > 0 && labels.size() > left + 1) continue;  // No room.
    labels.resize(std::max(start, labels.size()), ' ');
    labels.resize(start, ' ');
    labels += tick.label + " ";
  }
  return std::string(left, ' ') + "└" + join(axis, "") + "\n" + without_trailing_spaces(labels) + "\n";
}

std::string text_legend(const Chart& chart) {
  std::string text;
  if (chart.series.size() < 2) return text;
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    text += std::string(text.empty() ? "" : "   ") + text_marker(i) + " " + plain_text(chart.series[i].name);
  return text + "\n";
}

/// Returns a bar of characters: the interval is pale, the baseline a line.
std::string draw_text_bar(const Bar& bar, const Scale& scale, double start, bool has_baseline) {
  const auto [from, to] = std::minmax({place(scale, start), place(scale, bar.point.y)});
  const std::size_t low = place(scale, bar.point.low.value_or(bar.point.y));
  const std::size_t high = std::max(low + 1, place(scale, bar.point.high.value_or(bar.point.y)));
  std::string text;
  for (std::size_t i = 0; i < static_cast<std::size_t>(scale.to); ++i) {
    const bool is_filled = from <= i && i < to;
    const bool is_baseline = has_baseline && i == place(scale, start);
    if (bar.point.low && low <= i && i < high)
      text += "▒";
    else
      text += is_filled ? (bar.is_hollow ? "░" : "█") : is_baseline ? "│" : " ";
  }
  return text;
}

std::string draw_text_bars(const Chart& chart, std::size_t width) {
  const std::vector<Bar> bars = list_bars(chart);
  if (bars.empty()) return "";
  const Scale scale = make_bar_scale(chart, 1, 0, 0.3 * static_cast<double>(width));
  const double start = find_bar_start(chart, scale);
  const bool has_interval =
      std::ranges::any_of(bars, [](const Bar& bar) { return bar.point.low.has_value(); });
  TextTable text({{""}, {""}, {""}});  // Its first line is empty: the title is wider than a column.
  for (const Bar& bar : bars) {
    if (!bar.group.empty()) text.add_row({clipped(bar.group, width / 3) + ":", "", ""});
    text.add_row({clipped(bar.name, width / 3), draw_text_bar(bar, scale, start, chart.baseline.has_value()),
                  bar.value});
  }
  const bool has_hollow = std::ranges::any_of(bars, &Bar::is_hollow);
  // The colons keep a name of three backticks from ending a code block of Markdown.
  return clipped(axis_title(chart.y), width - 13) + (has_interval ? " (▒ interval):" : ":") +
         text.to_string(width) + (has_hollow ? std::string(kHollowMeaning) + "\n" : "");
}

}  // namespace

std::string draw_text_chart(const Chart& given, std::size_t width) {
  const Chart chart = make_showable(given);
  if (chart.kind == ChartKind::kBars) return draw_text_bars(chart, width);
  const Scale y = make_y_scale(chart, 4, kRows - 1, 0);
  std::size_t left = 0;
  for (const Tick& tick : y.ticks) left = std::max(left, display_width(tick.label) + 1);
  std::vector<double> places;
  for (const Series& series : chart.series) append(places, mapped(series.points, &Point::x));
  if (places.empty()) return "";
  if (width < left + 1 + kRightEdge + kLeastColumns) return "";
  const std::size_t columns = width - left - 1 - kRightEdge;
  const Scale x(chart.x, places, chart.x.is_time ? 5 : 8, 0, static_cast<double>(columns - 1));
  std::vector<Line> lines(kRows, Line(columns, " "));
  Line labels(kRows);
  for (const Tick& tick : y.ticks) labels.at(place(y, tick.value)) = tick.label;
  if (chart.baseline) std::ranges::fill(lines.at(place(y, *chart.baseline)), "╌");
  draw_points(chart, x, y, lines);
  std::string text = text_legend(chart);
  for (std::size_t row = 0; row < kRows; ++row) {
    const std::string label = labels[row] + (labels[row].empty() ? "" : " ");
    text += std::string(left - display_width(label), ' ') + label + (label.empty() ? "│" : "┤") +
            without_trailing_spaces(join(lines[row], "")) + "\n";
  }
  return text + draw_bottom(x, left, columns);
}

}  // namespace gpubench
