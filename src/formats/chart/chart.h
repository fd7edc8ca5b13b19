#pragma once
// Charts of a page as SVG, and their parts: text, lines, looks of series, legend, axes. Looks are classes,
// whose colours and fonts are in chart.css and page.css. The caller lays out a chart's title and notes.

#include <string>
#include <string_view>
#include <vector>

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

constexpr double kTickRow = 24;    ///< Room for the labels of ticks below a plot, or above.
constexpr double kRightRoom = 14;  ///< Beside a plot.

/// Both ends finite, `low` below `high`.
struct Range {
  double low = 0;
  double high = 1;
};

/// Whether an axis can show `value`: finite, above 0 on a logarithmic one, and of a size that can be computed
/// with.
bool can_show(double value, bool is_logarithmic);

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

/// Whether the point has an interval that the axis of its y can show.
bool has_interval(const Point& point, const Axis& axis);

/// What someone reads who points at it: series, place and value with interval, four digits each.
std::string tooltip(const Chart& chart, const Series& series, const Point& point);

/// All y of the chart: points, intervals and baseline. Some may be what no axis can show.
std::vector<double> y_values(const Chart& chart);

/// Round values inside the range, ascending: about `most` or fewer, 2 at least where the range has them. Of a
/// logarithmic axis powers of ten, with 2 and 5 between where there is room, or of two, as batch sizes are,
/// where all `values` are such. None where the axis can show no value.
std::vector<double> axis_ticks(const Axis& axis, const std::vector<double>& values, Range range, int most);

/// What the axis shows, with its unit in brackets where the ticks do not have it.
std::string axis_title(const Axis& axis);

/// A whole chart of what is drawn so far: with the title of the axis below the ticks, below the middle of
/// `area` or of the whole width where it is long.
Drawing with_title_below(std::string svg, const Axis& axis, const Area& area, double width);

/// Room that the labels of `ticks` need.
double widest_label(const std::vector<double>& ticks, const std::string& unit);

/// Labels in a row at `y`; those that would touch their neighbour are left out.
std::string tick_row(const std::vector<double>& ticks, const Scale& scale, const std::string& unit, double y,
                     double width);

/// Vertical grid lines with labels below.
std::string axis_below(const std::vector<double>& ticks, const Scale& scale, const std::string& unit,
                       const Area& area, double width);

/// Horizontal grid lines with labels on the left.
std::string axis_left(const std::vector<double>& ticks, const Scale& scale, const std::string& unit,
                      const Area& area);

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
