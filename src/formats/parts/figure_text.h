#pragma once
// Figures of charts as text: three digits, whatever the magnitude.

#include <string>

#include "gpubench/record/page.h"

namespace gpubench {

/// "0.0412", "2.40", "123", "45,678"; "-" for what is no number.
std::string figure_text(double figure);

/// "2.40 s".
std::string figure_with_unit(double figure, const std::string& unit);

/// 0.0123 as "1.2 %", 1.5 as "150 %".
std::string percent_text(double part);

/// "2.40 s ± 1.2 %" where the interval lies evenly about the value, else "2.40 s (2.38 to 2.51)", and without
/// an interval the value alone.
std::string point_text(const Point& point, const std::string& unit);

/// "epoch time [s]"; the unit alone where there is no label.
std::string axis_text(const Axis& axis);

}  // namespace gpubench
