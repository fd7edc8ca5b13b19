#pragma once
// Figures of charts with what belongs to them, as text.

#include <string>

#include "gpubench/record/page.h"

namespace gpubench {

/// "2.40 s".
std::string figure_with_unit(double figure, const std::string& unit);

/// "2.40 s ± 1.2 %" where the interval lies evenly about the value, else "2.40 s (2.38 to 2.51)", and without
/// an interval the value alone.
std::string point_text(const Point& point, const std::string& unit);

/// "epoch time [s]"; the unit alone where there is no label.
std::string axis_text(const Axis& axis);

}  // namespace gpubench
