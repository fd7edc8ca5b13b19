#pragma once
// Constructed pages with fixed values, as input for report formats.

#include "gpubench/record/page.h"

namespace gpubench::test {

/// Returns a comparison of two machines, with tones, notes, missing values, intervals, and ratio bars.
Page sample_page();

/// Returns a page with markup, quotes, control characters and invalid UTF-8 in every text.
Page hostile_page();

/// Returns charts with edge cases: one point, none, equal values, huge ranges, NaN, infinity, many series.
Page awkward_page();

/// Return charts without title, axes or notes.
Chart make_line_chart(std::vector<Series> series);
Chart make_bar_chart(std::vector<std::string> categories, std::vector<Series> series);

}  // namespace gpubench::test
