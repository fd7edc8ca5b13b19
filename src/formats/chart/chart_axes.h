#pragma once
// Axes of a chart: what they span, their ticks, grid and labels.

#include <string>
#include <vector>

#include "formats/chart/chart_ink.h"
#include "formats/chart/chart_scale.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// All y of the chart: points, intervals and baseline. Some may be what no axis can show.
std::vector<double> y_values(const Chart& chart);

/// Ticks of `axis`; powers of two where all `values` of a logarithmic axis are such, none where it can show
/// no value.
std::vector<double> axis_ticks(const Axis& axis, const std::vector<double>& values, Range range, int most);

/// What the axis shows, with its unit in brackets where the ticks do not have it.
std::string axis_title(const Axis& axis);

/// The title, below the middle of `area` or of the whole width where it is long.
std::string title_below(const Axis& axis, const Area& area, double y, double width);

/// Room that the labels of `ticks` need.
double widest_label(const std::vector<double>& ticks, const std::string& unit);

/// Labels in a row at `y`; those that would touch their neighbour are left out.
std::string tick_row(const std::vector<double>& ticks, const Scale& scale, const std::string& unit, double y,
                     double width);

/// Vertical grid lines with labels below.
std::string axis_below(const std::vector<double>& ticks, const Scale& scale, const std::string& unit,
                       const Area& area, double width);

/// Horizontal grid lines with labels on the left.
std::string axis_left(const std::vector<double>& ticks, const Scale& scale, const std::string& unit,
                      const Area& area);

}  // namespace gpubench
