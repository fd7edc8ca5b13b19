#pragma once
// Charts as SVG, whose looks are classes of the style sheets, and as characters; without title and notes.

#include <cstddef>
#include <string>
#include <string_view>

#include "gpubench/record/page.h"

namespace gpubench {

constexpr double kFontSize = 12;                      ///< Of all text in a chart, as in chart.css.
constexpr double kCharacterWidth = 0.62 * kFontSize;  ///< An estimate: rather too wide than too narrow.
constexpr double kChartWidth = 800;  ///< In pixels; HTML scales it to the page, as page.css says.

/// A length in pixels, rounded to a tenth: "12", "0.5".
std::string px(double length);

/// `text` is escaped. `classes` may have mid or end, which say what of the text is at `x`, and dim.
std::string text_at(double x, double y, std::string_view classes, std::string_view text);

/// Markup and the room that it takes from the top.
struct Drawing {
  std::string content;
  double height = 0;
};

/// Draws lines, points or horizontal bars as an <svg> element. `id` starts every id inside and is unique in
/// the document. Leaves out values that an axis cannot show, such as 0 on a logarithmic one; no coordinate is
/// infinite or NaN. `attributes`, which start with a space, go into its tag as they are.
Drawing draw_chart(const Chart& chart, const std::string& id, const std::string& attributes);

/// Draws lines or points with characters, `width` columns wide, without the title. Empty without points.
std::string draw_text_chart(const Chart& chart, std::size_t width);

}  // namespace gpubench
