#pragma once
// Charts as rows of block characters.

#include <string>
#include <vector>

#include "gpubench/record/page.h"

namespace gpubench {

/// The chart without its title and notes, a line each and no line ends, at most 100 characters wide unless a
/// figure is very long: what the axes are, a bar a point with its value behind, marks. Lines of many points
/// over an even axis become strips, a row each. All text in it is plain (see plain_text.h).
std::vector<std::string> chart_text(const Chart& chart);

}  // namespace gpubench
