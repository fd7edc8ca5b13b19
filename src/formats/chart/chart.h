#pragma once
// Draws charts as SVG, styled by classes of the style sheets, and as text. Titles and notes are left to the
// page.

#include <cstddef>
#include <string>
#include <string_view>

#include "gpubench/record/page.h"

namespace gpubench {

constexpr double kFontSize = 12;                      ///< Size of chart text in pixels, as in chart.css.
constexpr double kCharacterWidth = 0.62 * kFontSize;  ///< Estimate, rather too wide than too narrow.
constexpr double kWideChart = 840;                    ///< Width in pixels; page.css scales it to the page.
constexpr double kNarrowChart = 360;                  ///< Width for phones.

/// Returns a length in pixels, rounded to a tenth: "12", "0.5".
std::string px(double length);

/// Returns a text element. `text` is escaped. `classes` may have `mid` or `end`, for the part of the text at
/// `x`, and `dim`.
std::string text_at(double x, double y, std::string_view classes, std::string_view text);

/// Markup with its height.
struct Drawing {
  std::string content;
  double height = 0;
};

/// Draws lines, points or horizontal bars as an <svg> element, `width` pixels wide. `id` is unique in the
/// document and begins every id in the element. Omits values that an axis cannot show, such as 0 on a
/// logarithmic axis; all coordinates are finite. `attributes` begin with a space and are added to the tag
/// unchanged.
Drawing draw_chart(const Chart& chart, double width, const std::string& id, const std::string& attributes);

/// Draws a chart as text, `width` columns wide. Returns an empty string without points.
std::string draw_text_chart(const Chart& chart, std::size_t width);

}  // namespace gpubench
