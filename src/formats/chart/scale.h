#pragma once
// Axes of charts: which places have labels, and where values lie.

#include <string>
#include <vector>

#include "gpubench/record/page.h"

namespace gpubench {

/// Both ends finite, `low` below `high`.
struct Range {
  double low;
  double high;
};

struct Tick {
  double value;
  std::string label;  ///< "20 ms", "2026-11-26".
};

/// An axis with its ticks, from `from` to `to`, in pixels or characters.
struct Scale {
  Scale(const Axis& its_axis, const std::vector<double>& values, int most_ticks, double its_from,
        double its_to);

  /// Returns the place of a value inside the range.
  double at(double value) const;

  const Axis& axis;
  Range range;
  std::vector<Tick> ticks;
  double from;
  double to;
};

/// Leaves out what the axes cannot show, and sorts points from left to right.
Chart make_showable(Chart chart);

std::vector<double> list_values(const Chart& chart);

/// Returns the scale of lines; from 0 on where the least value is far below the largest.
Scale make_y_scale(const Chart& chart, int most_ticks, double bottom, double top);

/// Returns what the axis shows, with its unit in brackets where the ticks do not have it.
std::string axis_title(const Axis& axis);

/// "2026-11-26 06:34 UTC".
std::string time_text(double seconds);

}  // namespace gpubench
