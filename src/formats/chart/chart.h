#pragma once
// Charts as SVG. Looks are classes of chart.css and page.css; the caller lays out title and notes.

#include <string>
#include <string_view>
#include <vector>

#include "gpubench/record/page.h"

namespace gpubench {

constexpr double kFontSize = 12;  ///< Of all text in a chart, as in chart.css.

/// A length in pixels, rounded to a tenth: "12", "0.5".
std::string px(double length);

/// `text` is escaped. `classes` may have mid or end, which say what of the text is at `x`, and dim.
std::string text_at(double x, double y, std::string_view classes, std::string_view text);

/// An estimate, since no font is at hand; rather too wide than too narrow.
double text_width(std::string_view text);

/// `text`, or as much of its beginning as fits into `width` with an ellipsis.
std::string shortened(std::string_view text, double width);

/// Both ends finite, `low` below `high`.
struct Range {
  double low = 0;
  double high = 1;
};

/// Spans all `values` that the axis can show with some room, which never crosses 0. Never empty.
Range compute_range(std::vector<double> values, bool is_logarithmic);

/// Where on an axis from pixel `from` to pixel `to` a value is.
struct Scale {
  Range range;
  bool is_logarithmic;
  double from;
  double to;

  /// Values outside the range are at the nearer end.
  double at(double value) const;
};

/// "20 ms", "1.5×", "50 %": with `unit` where that takes a prefix or belongs to the number; else the number.
std::string tick_label(double value, const std::string& unit);

/// Returns about `most` round values inside the range, ascending. A logarithmic axis has powers of ten, with
/// 2 and 5 if there is room, or of two if all `values` are such. Empty if the axis can show no value.
std::vector<double> axis_ticks(const Axis& axis, const std::vector<double>& values, Range range, int most);

/// Markup and the room that it takes from the top.
struct Drawing {
  std::string content;
  double height = 0;
};

/// Draws lines, points or horizontal bars, `width` pixels wide, as an <svg> element. `id` starts every id
/// inside and is unique in the document. Leaves out values that an axis cannot show, such as 0 on a
/// logarithmic one; no coordinate is infinite or NaN. `attributes`, which start with a space, go into its tag
/// as they are.
Drawing draw_chart(const Chart& chart, const std::string& id, double width, const std::string& attributes);

}  // namespace gpubench
