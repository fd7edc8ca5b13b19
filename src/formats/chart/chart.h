#pragma once
// Charts of a page as SVG, and their parts. Looks are classes, whose colours and fonts are in chart.css and
// page.css. The caller lays out a chart's title and notes.

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

/// What an axis spans: all of `values` that it can show with a little room around them, never crossing 0 for
/// it. Equal values are widened; no value gives a range all the same.
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

/// `value` with `unit` where that takes a prefix or belongs to the number: "20 ms", "1.5×", "50 %"; else the
/// number.
std::string tick_label(double value, const std::string& unit);

/// Round values inside the range, ascending: about `most` or fewer, 2 at least where the range has them. Of a
/// logarithmic axis powers of ten, with 2 and 5 between where there is room, or of two, as batch sizes are,
/// where all `values` are such. None where the axis can show no value.
std::vector<double> axis_ticks(const Axis& axis, const std::vector<double>& values, Range range, int most);

/// Markup and the room that it takes from the top.
struct Drawing {
  std::string content;
  double height = 0;
};

/// Lines or points over a scale, or horizontal bars by category, `width` pixels wide and as high as it needs
/// to be. `id` starts every id inside and is unique in the document. Values that an axis cannot show, such as
/// 0 on a logarithmic one, are left out; no coordinate is ever infinite or NaN. Marks are drawn by lines, and
/// categories by bars only. An <svg> element with what a screen reader says; `attributes`, which start with a
/// space, are put into its tag as they are.
Drawing draw_chart(const Chart& chart, const std::string& id, double width, const std::string& attributes);

}  // namespace gpubench
