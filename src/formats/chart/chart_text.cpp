#include "formats/chart/chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "formats/parts/plain_text.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/utf8.h"

namespace gpubench {
namespace {

using Lines = std::vector<std::string>;

/// What is missing of the width.
std::string padding(const std::string& label, std::size_t width) {
  return std::string(width - std::min(width, display_width(label)), ' ');
}

std::size_t widest_of(const Lines& texts) {
  return texts.empty() ? 0 : std::ranges::max(mapped(texts, display_width));
}

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

std::string row_text(const Series& series, const std::string& label, const std::string& unit) {
  if (series.points.empty()) return fmt::format("  {}  -", label);
  const auto [least, most] = std::ranges::minmax_element(series.points, {}, &Point::y);
  return fmt::format("  {}  {}  {} to {}, last {}", label, strip_text(series.points, most->y),
                     figure_text(least->y), figure_text(most->y),
                     figure_with_unit(series.points.back().y, unit));
}

/// What the axes are, and a row a series: name, a column a point from 0 to the series' own highest, and its
/// least, highest and last value.
Lines strips_text(const Chart& chart) {
  const Lines labels =
      mapped(chart.series, [](const Series& series) { return clipped(series.name, kStripLabelWidth); });
  const std::size_t width = widest_of(labels);
  Lines lines{
      fmt::format("{} by {}; each row from 0 to its highest", axis_text(chart.y), axis_text(chart.x))};
  for (std::size_t i = 0; i < labels.size(); ++i)
    lines.push_back(row_text(chart.series[i], labels[i] + padding(labels[i], width), chart.y.unit));
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
struct BarScale {
  bool is_logarithmic;
  bool is_two_sided = false;
  double origin = 0;  ///< Where bars begin; on a logarithmic axis the logarithm of that.
  double characters_per_unit = 0;
  std::size_t left_width = 0;

  double position(double value) const { return is_logarithmic ? std::log10(value) : value; }

  std::string left_bar(double characters) const {
    const long halves = characters == 0 ? 0 : std::max(1L, std::lround(2 * characters));
    const auto filled = static_cast<std::size_t>((halves + 1) / 2);
    const std::size_t empty = left_width > filled ? left_width - filled : 0;
    return std::string(empty, ' ') + (halves % 2 == 1 ? "▐" : "") + repeated("█", halves / 2);
  }

  /// The bar of `value`, with a stroke at the origin where bars go both ways; empty where the scale has no
  /// place for it.
  std::string bar(double value) const {
    const double characters = (position(value) - origin) * characters_per_unit;
    if (!std::isfinite(characters)) return {};
    if (!is_two_sided) return right_bar(characters);
    return left_bar(std::max(0.0, -characters)) + "│" + right_bar(std::max(0.0, characters));
  }
};

/// For bars of at most `width` characters.
BarScale scale_of(const Chart& chart, std::size_t width) {
  BarScale scale{chart.y.is_logarithmic};
  std::vector<double> positions;
  for (const Series& series : chart.series)
    append(positions, mapped(series.points, [&](const Point& point) { return scale.position(point.y); }));
  std::erase_if(positions, [](double value) { return !std::isfinite(value); });
  if (positions.empty()) return scale;
  const auto [least, most] = std::ranges::minmax(positions);
  if (scale.is_logarithmic) scale.origin = std::ceil(least) - 1;
  if (chart.baseline && std::isfinite(scale.position(*chart.baseline)))
    scale.origin = scale.position(*chart.baseline);
  const double low = std::min(scale.origin, least);
  const double extent = std::max(scale.origin, most) - low;
  scale.is_two_sided = chart.baseline.has_value() || low < scale.origin;
  if (extent <= 0) return scale;
  scale.characters_per_unit = static_cast<double>(width) / extent;
  scale.left_width = static_cast<std::size_t>(std::ceil((scale.origin - low) * scale.characters_per_unit));
  return scale;
}

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
  std::string figure;
  double value;
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

Bar bar_of(const Chart& chart, std::string label, const Point& point) {
  return {std::move(label), point_text(point, chart.y.unit), point.y};
}

/// A group a line.
std::vector<Group> groups_of_lines(const Chart& chart) {
  std::vector<Group> groups;
  for (const Series& series : chart.series) {
    Group& group = groups.emplace_back(Group{plain_text(series.name), {}});
    const std::vector<Point> points = thinned(series.points, kMostBarsOfLine);
    for (const Point& point : points) group.bars.push_back(bar_of(chart, label_of(chart, point), point));
    if (points.size() < series.points.size())
      group.heading += fmt::format(" ({} of {} points)", points.size(), series.points.size());
  }
  return groups;
}

/// A group a category with a bar a series, or of a single series one of all.
std::vector<Group> groups_of_bars(const Chart& chart) {
  if (chart.series.size() == 1) {
    const auto bar = [&](const Point& point) { return bar_of(chart, x_text(chart, point.x), point); };
    return {{"", mapped(chart.series.front().points, bar)}};
  }
  std::vector<Group> groups;
  for (const std::string& category : chart.x.categories) {
    const auto place = static_cast<double>(groups.size());
    Group& group = groups.emplace_back(Group{clipped(category, kLabelWidth), {}});
    for (const Series& series : chart.series) {
      for (const Point& point : series.points) {
        if (point.x == place) group.bars.push_back(bar_of(chart, clipped(series.name, kLabelWidth), point));
      }
    }
  }
  return groups;
}

bool is_strips(const Chart& chart) {
  std::size_t count = 0;
  for (const Series& series : chart.series) count += series.points.size();
  return chart.kind == ChartKind::kLines && !chart.x.is_logarithmic && count > kMostBars;
}

void add_bars(Lines& lines, const Chart& chart, const BarScale& scale, const Group& group,
              std::size_t width) {
  if (!group.heading.empty()) lines.push_back("  " + group.heading);
  const std::string indent(group.heading.empty() ? 2 : 4, ' ');
  for (const auto& [label, figure, value] : group.bars) {
    const std::string bar = scale.bar(value);
    const std::string space = padding(label, width);
    // Numbers end, and names begin, below each other.
    const std::string place = chart.kind == ChartKind::kBars ? label + space : space + label;
    lines.push_back(fmt::format("{}{}  {}{}{}", indent, place, bar, bar.empty() ? "" : " ", figure));
  }
}

std::string scale_text(const Chart& chart, const BarScale& scale) {
  if (chart.baseline)
    return fmt::format("; bars start at {}", figure_with_unit(*chart.baseline, chart.y.unit));
  if (!chart.y.is_logarithmic) return {};
  return fmt::format("; bars on a logarithmic scale from {:g}", std::pow(10.0, scale.origin));
}

Lines bars_text(const Chart& chart) {
  const auto groups = chart.kind == ChartKind::kBars ? groups_of_bars(chart) : groups_of_lines(chart);
  Lines labels;
  Lines figures;
  for (const Group& group : groups) {
    append(labels, mapped(group.bars, &Bar::label));
    append(figures, mapped(group.bars, &Bar::figure));
  }
  const std::size_t width = widest_of(labels);
  // What labels and figures leave to the bars of a line.
  const std::size_t others = std::min(kWidth, 8 + width + widest_of(figures));
  const BarScale scale = scale_of(chart, std::clamp(kWidth - others, kLeastBarWidth, kMostBarWidth));
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
