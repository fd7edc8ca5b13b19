#pragma once
// What charts are drawn with: text, lines, how series look, and their legend. Looks are classes,
// which src/formats/chart.css and page.css give colours and fonts.

#include <string>
#include <string_view>

#include "gpubench/record/page.h"

namespace gpubench {

constexpr double kFontSize = 12;  ///< Of all text in a chart, as in chart.css.

/// The plot area, in pixels from the top left.
struct Area {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// A length in pixels, rounded to a tenth: "12", "0.5".
std::string px(double length);

/// `text` is escaped. `classes` may have mid or end, which say what of the text is at `x`, and dim.
std::string text_at(double x, double y, std::string_view classes, std::string_view text);

std::string line_between(double x1, double y1, double x2, double y2, std::string_view classes);

/// An estimate, since no font is at hand; rather too wide than too narrow.
double text_width(std::string_view text);

/// `text`, or as much of its beginning as fits into `width` with an ellipsis.
std::string shortened(std::string_view text, double width);

/// Name of the colour of a series, which repeats after eight.
std::string series_class(std::size_t series);

/// A filled shape around the place; the shapes repeat after six.
std::string marker(std::size_t series, double x, double y);

/// Attributes of a bar's filling, and the hatching that some of them refer to by an id that starts with `id`.
std::string bar_fill(std::size_t series, const std::string& id);
std::string bar_hatching(const Chart& chart, const std::string& id);

/// Class of the dashes of a line.
std::string dash_class(std::size_t series);

/// Markup and the room that it takes from the top.
struct Drawing {
  std::string content;
  double height = 0;
};

/// The names in rows as wide as `width` allows; nothing for a single series without a name.
Drawing legend(const Chart& chart, const std::string& id, double width);

}  // namespace gpubench
