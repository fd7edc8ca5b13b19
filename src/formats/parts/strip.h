#pragma once
// Lines of many points, each as one row of columns.

#include <string>
#include <vector>

#include "gpubench/record/page.h"

namespace gpubench {

/// At most `most` of the points, evenly chosen, the first and the last among them.
std::vector<Point> thinned(const std::vector<Point>& points, std::size_t most);

/// What the axes are, and a row a series: name, a column a point from 0 to the series' own highest, and its
/// least, highest and last value.
std::vector<std::string> strips_text(const Chart& chart);

}  // namespace gpubench
