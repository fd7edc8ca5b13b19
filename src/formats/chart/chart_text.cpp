#include "formats/chart/chart_text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "formats/parts/plain_text.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/utf8.h"

namespace gpubench {
namespace {

constexpr std::size_t kStripLabelWidth = 44;

/// What a label of that width and three figures leave of a line of 100 characters.
constexpr std::size_t kStripWidth = 26;

std::string column_text(double part) {
  static const std::array<const char*, 9> kEighths{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (!std::isfinite(part)) return " ";
  return kEighths[static_cast<std::size_t>(std::clamp(std::lround(8 * part), 1L, 8L))];
}

/// At most `most` of the points, evenly chosen, the first and the last among them.
std::vector<Point> thinned(const std::vector<Point>& points, std::size_t most) {
  if (points.size() <= most) return points;
  std::vector<Point> chosen;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(points[i * (points.size() - 1) / (most - 1)]);
  return chosen;
}

std::string strip_text(const std::vector<Point>& points, double highest) {
  std::string strip;
  for (const Point& point : thinned(points, kStripWidth)) strip += column_text(point.y / highest);
  return strip;
}

std::string row_text(const Series& series, std::size_t label_width, const std::string& unit) {
  const std::string label = clipped(series.name, kStripLabelWidth);
  const std::string padding(label_width - display_width(label), ' ');
  if (series.points.empty()) return fmt::format("  {}{}  -", label, padding);
  const auto [least, most] = std::ranges::minmax_element(series.points, {}, &Point::y);
  return fmt::format("  {}{}  {}  {} to {}, last {}", label, padding, strip_text(series.points, most->y),
                     figure_text(least->y), figure_text(most->y),
                     figure_with_unit(series.points.back().y, unit));
}

/// What the axes are, and a row a series: name, a column a point from 0 to the series' own highest, and its
/// least, highest and last value.
std::vector<std::string> strips_text(const Chart& chart) {
  std::size_t label_width = 0;
  for (const Series& series : chart.series)
    label_width = std::max(label_width, display_width(clipped(series.name, kStripLabelWidth)));
  std::vector<std::string> lines{
      fmt::format("{} by {}; each row from 0 to its highest", axis_text(chart.y), axis_text(chart.x))};
  for (const Series& series : chart.series) lines.push_back(row_text(series, label_width, chart.y.unit));
  return lines;
}

std::string repeated(const std::string& text, long count) {
  std::string all;
  for (long i = 0; i < count; ++i) all += text;
  return all;
}

/// A bar to the right, in eighths of a character; at least one of them, so that nothing looks like nothing.
std::string right_bar(double characters) {
  static const std::array<const char*, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const long eighths = characters == 0 ? 0 : std::max(1L, std::lround(8 * characters));
  return repeated("█", eighths / 8) + kEighths[static_cast<std::size_t>(eighths % 8)];
}

/// The common scale of a chart's bars. They begin at the baseline where the chart has one, else at 0, or, on
/// a logarithmic axis, at the power of ten below the least value. Smaller values extend to the left.
class BarScale {
 public:
  /// For bars of at most `width` characters.
  BarScale(const Chart& chart, std::size_t width);

  /// Where bars begin, in the unit of the axis.
  double origin() const { return is_logarithmic_ ? std::pow(10.0, origin_) : origin_; }

  /// The bar of `value`, with a stroke at the origin where bars go both ways; empty where the scale has no
  /// place for it.
  std::string bar(double value) const {
    const double characters = (position(value) - origin_) * characters_per_unit_;
    if (!std::isfinite(characters)) return {};
    if (!is_two_sided_) return right_bar(characters);
    return left_bar(std::max(0.0, -characters)) + "│" + right_bar(std::max(0.0, characters));
  }

 private:
  double position(double value) const { return is_logarithmic_ ? std::log10(value) : value; }

  std::string left_bar(double characters) const {
    const long halves = characters == 0 ? 0 : std::max(1L, std::lround(2 * characters));
    const auto filled = static_cast<std::size_t>((halves + 1) / 2);
    const std::size_t empty = left_width_ > filled ? left_width_ - filled : 0;
    return std::string(empty, ' ') + (halves % 2 == 1 ? "▐" : "") + repeated("█", halves / 2);
  }

  bool is_logarithmic_;
  bool is_two_sided_ = false;
  double origin_ = 0;
  double characters_per_unit_ = 0;
  std::size_t left_width_ = 0;
};

BarScale::BarScale(const Chart& chart, std::size_t width) : is_logarithmic_(chart.y.is_logarithmic) {
  std::vector<double> positions;
  for (const Series& series : chart.series) {
    for (const Point& point : series.points) positions.push_back(position(point.y));
  }
  std::erase_if(positions, [](double value) { return !std::isfinite(value); });
  if (positions.empty()) return;
  const auto [least, most] = std::minmax_element(positions.begin(), positions.end());
  origin_ = is_logarithmic_ ? std::ceil(*least) - 1 : 0;
  if (chart.baseline && std::isfinite(position(*chart.baseline))) origin_ = position(*chart.baseline);
  const double low = std::min(origin_, *least);
  const double extent = std::max(origin_, *most) - low;
  is_two_sided_ = chart.baseline.has_value() || low < origin_;
  if (extent <= 0) return;
  characters_per_unit_ = static_cast<double>(width) / extent;
  left_width_ = static_cast<std::size_t>(std::ceil((origin_ - low) * characters_per_unit_));
}

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

std::vector<Group> groups_of_bars(const Chart& chart) {
  std::vector<Group> groups;
  if (chart.series.size() == 1) {
    groups.emplace_back();
    for (const Point& point : chart.series.front().points)
      groups.back().bars.push_back({x_text(chart, point.x), point});
    return groups;
  }
  for (std::size_t i = 0; i < chart.x.categories.size(); ++i) groups.push_back(group_of(chart, i));
  return groups;
}

bool is_strips(const Chart& chart) {
  std::size_t count = 0;
  for (const Series& series : chart.series) count += series.points.size();
  return chart.kind == ChartKind::kLines && !chart.x.is_logarithmic && count > kMostBars;
}

std::string padding(const std::string& label, std::size_t width) {
  return std::string(width - std::min(width, display_width(label)), ' ');
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
    for (const Bar& bar : group.bars) width = std::max(width, display_width(text_of(bar)));
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
