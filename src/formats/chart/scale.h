#pragma once
// Axes of charts: ticks and positions of values.

#include <cstddef>
#include <string>
#include <vector>

#include "gpubench/record/page.h"

namespace gpubench {

/// Range of an axis: both ends are finite, and `low` is below `high`.
struct Range {
  double low;
  double high;
};

struct Tick {
  double value;
  std::string label;  ///< "20 ms", "2026-11-26".
};

/// An axis with its ticks, from `from` to `to` in pixels or characters.
struct Scale {
  Scale(const Axis& its_axis, const std::vector<double>& values, int most_ticks, double its_from,
        double its_to);

  /// Returns the position of a value inside the range.
  double at(double value) const;

  const Axis& axis;
  Range range;
  std::vector<Tick> ticks;
  double from;
  double to;
};

/// Removes points that the axes cannot show, and sorts the others by x.
Chart make_showable(Chart chart);

/// Returns the y scale of lines. It begins at 0 if the smallest value is far below the largest.
Scale make_y_scale(const Chart& chart, int most_ticks, double bottom, double top);

/// A bar with the texts beside it.
struct Bar {
  std::size_t series;
  std::string group;  ///< Category, above the first of its bars; empty with a single series.
  std::string name;   ///< Series, or the category with a single series.
  std::string value;  ///< "1.64x (1.41 to 1.84)".
  bool is_hollow;     ///< The interval is unknown. A bar at the baseline needs none.
  Point point;
};

constexpr const char* kHollowMeaning = "Hollow bar: interval unknown.";

/// Returns the bars of all series by category.
std::vector<Bar> list_bars(const Chart& chart);

/// Returns the value axis of bars.
Scale make_bar_scale(const Chart& chart, int most_ticks, double from, double to);

/// Returns the value at which bars begin: the baseline, 0, or the low end of a logarithmic axis.
double find_bar_start(const Chart& chart, const Scale& scale);

/// Returns the label of the axis, with the unit in brackets if the ticks do not show it.
std::string axis_title(const Axis& axis);

/// Returns "2026-11-26 06:34 UTC".
std::string time_text(double seconds);

}  // namespace gpubench
