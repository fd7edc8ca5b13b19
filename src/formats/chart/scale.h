#pragma once
// Axes of charts: ticks and positions of values.

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

std::vector<double> list_values(const Chart& chart);

/// Returns the y scale of lines. It begins at 0 if the smallest value is far below the largest.
Scale make_y_scale(const Chart& chart, int most_ticks, double bottom, double top);

/// Returns the label of the axis, with the unit in brackets if the ticks do not show it.
std::string axis_title(const Axis& axis);

/// Returns "2026-11-26 06:34 UTC".
std::string time_text(double seconds);

}  // namespace gpubench
