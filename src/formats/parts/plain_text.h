#pragma once
// What formats that are text have in common: lines, figures, rows of values.

#include <functional>
#include <string>
#include <vector>

#include "gpubench/core/text/plain_text.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// `text`, plain, with "…" in place of what is beyond `width` columns, at least 1.
std::string clipped(const std::string& text, std::size_t width);

/// The words of `text` in lines that are as long as `fits` lets them be; words that do not fit stand alone.
/// One empty line for a text without words.
std::vector<std::string> wrapped(const std::string& text,
                                 const std::function<bool(const std::string& line)>& fits);
/// The same of `text`, plain, in lines of at most `width` columns.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

/// "2.40 s".
std::string figure_with_unit(double figure, const std::string& unit);

/// "2.40 s ± 1.2 %" where the interval lies evenly about the value, else "2.40 s (2.38 to 2.51)", and without
/// an interval the value alone.
std::string point_text(const Point& point, const std::string& unit);

/// "epoch time [s]"; the unit alone where there is no label.
std::string axis_text(const Axis& axis);

/// For spreadsheets and scripts: heading and rows of `table`, each line ended by a newline: values in full
/// precision where a cell has one, else its text, plain and never a formula, as `escaped` gives it. A heading
/// has its unit in brackets.
std::string delimited(const Table& table, char delimiter, std::string (*escaped)(const std::string&));

}  // namespace gpubench
