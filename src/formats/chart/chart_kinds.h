#pragma once
// The kinds of charts, one file each, for draw_chart.

#include <string>

#include "formats/chart/chart_svg.h"

namespace gpubench {

Drawing line_chart(const Chart& chart, const std::string& id, double width);
Drawing bar_chart(const Chart& chart, const std::string& id, double width);

}  // namespace gpubench
