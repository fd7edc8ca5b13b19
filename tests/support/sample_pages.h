#pragma once
// Constructed pages with fixed values, as input for report formats.

#include "gpubench/record/page.h"

namespace gpubench::test {

/// Two machines compared: tones, notes, absent figures, lines with intervals, bars around a
/// baseline.
Page sample_page();

/// Names and texts with markup, quotes, control characters and bytes that are not UTF-8, in every place for
/// text.
Page hostile_page();

/// Charts at the edge: a single point, no point, equal values, huge ranges, NaN, infinity, many series and
/// categories.
Page awkward_page();

/// The two kinds of charts without anything that needs a place of its own.
Chart make_line_chart(std::vector<Series> series);
Chart make_bar_chart(std::vector<std::string> categories, std::vector<Series> series);

}  // namespace gpubench::test
