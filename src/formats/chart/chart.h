#pragma once
// A chart of a page as SVG. The caller lays out its title and notes.

#include <string>

#include "formats/chart/chart_axes.h"
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

}  // namespace gpubench
