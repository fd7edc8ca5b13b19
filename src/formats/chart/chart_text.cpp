#include "formats/chart/chart_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "formats/chart/bar_scale.h"
#include "formats/parts/figure_text.h"
#include "formats/parts/plain_text.h"
#include "formats/parts/strip.h"

namespace gpubench {
namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t kWidth = 100;
constexpr std::size_t kLeastBarWidth = 12;
constexpr std::size_t kMostBarWidth = 40;
constexpr std::size_t kLabelWidth = 60;

/// More points than this, of all series together, are strips.
constexpr std::size_t kMostBars = 24;

/// Of a line that cannot be a strip, since its points lie unevenly.
constexpr std::size_t kMostBarsOfLine = 12;

struct Bar {
  std::string label;
  Point point;
};

/// Bars under a heading; empty where none is needed.
struct Group {
  std::string heading;
  std::vector<Bar> bars;
};

std::string x_text(const Chart& chart, double x) {
  const std::vector<std::string>& categories = chart.x.categories;
  if (x >= 0 && x < static_cast<double>(categories.size()))
    return clipped(categories[static_cast<std::size_t>(x)], kLabelWidth);
  const std::string number = x < 1e4 ? fmt::format("{:g}", x) : figure_text(x);
  return chart.x.unit.empty() ? number : number + " " + plain_text(chart.x.unit);
}

std::string label_of(const Chart& chart, const Point& point) {
  const std::string place = x_text(chart, point.x);
  return point.name.empty() ? place : clipped(point.name, kLabelWidth) + ", " + place;
}

Group group_of(const Chart& chart, const Series& series) {
  const std::vector<Point> points = thinned(series.points, kMostBarsOfLine);
  Group group{plain_text(series.name), {}};
  for (const Point& point : points) group.bars.push_back({label_of(chart, point), point});
  if (points.size() < series.points.size())
    group.heading += fmt::format(" ({} of {} points)", points.size(), series.points.size());
  return group;
}

std::vector<Group> groups_of_lines(const Chart& chart) {
  std::vector<Group> groups;
  for (const Series& series : chart.series) groups.push_back(group_of(chart, series));
  return groups;
}

/// The bars of one category, a series each.
Group group_of(const Chart& chart, std::size_t category) {
  Group group{clipped(chart.x.categories[category], kLabelWidth), {}};
  for (const Series& series : chart.series) {
    for (const Point& point : series.points) {
      if (point.x == static_cast<double>(category))
        group.bars.push_back({clipped(series.name, kLabelWidth), point});
    }
  }
  return group;
}

Group group_of_only(const Chart& chart, const Series& series) {
  Group group;
  for (const Point& point : series.points) group.bars.push_back({x_text(chart, point.x), point});
  return group;
}

std::vector<Group> groups_of_bars(const Chart& chart) {
  if (chart.series.size() == 1) return {group_of_only(chart, chart.series.front())};
  std::vector<Group> groups;
  for (std::size_t i = 0; i < chart.x.categories.size(); ++i) groups.push_back(group_of(chart, i));
  return groups;
}

bool is_strips(const Chart& chart) {
  std::size_t count = 0;
  for (const Series& series : chart.series) count += series.points.size();
  return chart.kind == ChartKind::kLines && !chart.x.is_logarithmic && count > kMostBars;
}

std::string padding(const std::string& label, std::size_t width) {
  return std::string(width - std::min(width, width_of(label)), ' ');
}

/// Numbers end, and names begin, below each other.
std::string label_text(const Chart& chart, const std::string& label, std::size_t width) {
  const bool is_number = chart.kind != ChartKind::kBars;
  return is_number ? padding(label, width) + label : label + padding(label, width);
}

void add_bars(Lines& lines, const Chart& chart, const BarScale& scale, const Group& group,
              std::size_t width) {
  if (!group.heading.empty()) lines.push_back("  " + group.heading);
  const std::string indent(group.heading.empty() ? 2 : 4, ' ');
  for (const auto& [label, point] : group.bars) {
    const std::string bar = scale.bar(point.y);
    lines.push_back(fmt::format("{}{}  {}{}{}", indent, label_text(chart, label, width), bar,
                                bar.empty() ? "" : " ", point_text(point, chart.y.unit)));
  }
}

/// The widest of what `text_of` gives for a bar.
template <class Text>
std::size_t widest(const std::vector<Group>& groups, Text text_of) {
  std::size_t width = 0;
  for (const Group& group : groups) {
    for (const Bar& bar : group.bars) width = std::max(width, width_of(text_of(bar)));
  }
  return width;
}

/// What labels and figures leave to the bars of a line.
std::size_t bar_width(const Chart& chart, const std::vector<Group>& groups, std::size_t label_width) {
  const auto figure_of = [&](const Bar& bar) { return point_text(bar.point, chart.y.unit); };
  const std::size_t others = 8 + label_width + widest(groups, figure_of);
  return std::clamp(kWidth - std::min(kWidth, others), kLeastBarWidth, kMostBarWidth);
}

std::string scale_text(const Chart& chart, const BarScale& scale) {
  if (chart.baseline)
    return fmt::format("; bars start at {}", figure_with_unit(*chart.baseline, chart.y.unit));
  if (!chart.y.is_logarithmic) return {};
  return fmt::format("; bars on a logarithmic scale from {:g}", scale.origin());
}

Lines bars_text(const Chart& chart) {
  const auto groups = chart.kind == ChartKind::kBars ? groups_of_bars(chart) : groups_of_lines(chart);
  const std::size_t width = widest(groups, [](const Bar& bar) { return bar.label; });
  const BarScale scale(chart, bar_width(chart, groups, width));
  const std::string by = chart.x.label.empty() ? "" : " by " + axis_text(chart.x);
  Lines lines{axis_text(chart.y) + by + scale_text(chart, scale)};
  for (const Group& group : groups) add_bars(lines, chart, scale, group, width);
  return lines;
}

}  // namespace

std::vector<std::string> chart_text(const Chart& chart) {
  Lines lines = is_strips(chart) ? strips_text(chart) : bars_text(chart);
  for (const Mark& mark : chart.marks) {
    lines.push_back(fmt::format("  at {}: {}", x_text(chart, mark.x), plain_text(mark.text)));
  }
  return lines;
}

}  // namespace gpubench
