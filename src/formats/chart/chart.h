#pragma once
// A chart of a page, as SVG or as text, but for its title and notes, which the caller can lay out better.

#include <string>
#include <vector>

#include "formats/chart/chart_ink.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// Lines or points over a scale, or horizontal bars by category, `width` pixels wide and as high as it needs
/// to be. Colours and fonts come from the classes of chart.css. `id` starts every id inside and is unique in
/// the document. Values that an axis cannot show, such as 0 on a logarithmic one, are left out; no coordinate
/// is ever infinite or NaN. Marks are drawn by lines, and categories by bars only. An <svg> element with what
/// a screen reader says; `attributes`, which start with a space, are put into its tag as they are.
Drawing draw_chart(const Chart& chart, const std::string& id, double width, const std::string& attributes);

// The kinds of charts, one file each, for draw_chart: the inside of the element.
Drawing line_chart(const Chart& chart, const std::string& id, double width);
Drawing bar_chart(const Chart& chart, const std::string& id, double width);

/// The chart as rows of block characters, a line each and no line ends, at most 100 characters wide unless a
/// figure is very long: what the axes are, a bar a point with its value behind, marks. Lines of many points
/// over an even axis become strips, a row each. All text in it is plain (see plain_text.h).
std::vector<std::string> chart_text(const Chart& chart);

}  // namespace gpubench
