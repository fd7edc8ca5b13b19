#include "formats/parts/plain_text.h"

#include <cmath>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/utf8.h"

namespace gpubench {
namespace {

/// Spreadsheets take text that begins so for a formula, and run it.
std::string harmless(const std::string& text) {
  const bool is_formula = text.find_first_of("=+-@") == 0 && text != "-";
  return is_formula ? "'" + text : text;
}

}  // namespace

std::string clipped(const std::string& text, std::size_t width) {
  std::string plain = plain_text(text);
  if (display_width(plain) <= width) return plain;
  return std::string(fitting(plain, width - 1)) + "…";
}

std::vector<std::string> wrapped(const std::string& text,
                                 const std::function<bool(const std::string&)>& fits) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
    if (lines.back().empty() || fits(longer))
      lines.back() = longer;
    else
      lines.push_back(word);
  }
  return lines;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  return wrapped(plain_text(text), [&](const std::string& line) { return display_width(line) <= width; });
}

std::string figure_with_unit(double figure, const std::string& unit) {
  return unit.empty() ? figure_text(figure) : figure_text(figure) + " " + plain_text(unit);
}

std::string point_text(const Point& point, const std::string& unit) {
  const std::string text = figure_with_unit(point.y, unit);
  if (!point.low || !point.high) return text;
  const double halfwidth = (*point.high - *point.low) / 2;
  const bool is_even = point.y != 0 && std::abs((*point.high + *point.low) / 2 - point.y) <= halfwidth / 4;
  if (is_even) return fmt::format("{} ± {}", text, percent_text(halfwidth / std::abs(point.y)));
  return fmt::format("{} ({} to {})", text, figure_text(*point.low), figure_text(*point.high));
}

std::string axis_text(const Axis& axis) {
  const std::string label = plain_text(axis.label);
  if (axis.unit.empty()) return label;
  return fmt::format("{}{}[{}]", label, label.empty() ? "" : " ", plain_text(axis.unit));
}

std::string delimited(const Table& table, char delimiter, std::string (*escaped)(const std::string&)) {
  std::string text;
  for (const Column& column : table.columns) {
    const std::string unit = column.unit.empty() ? "" : " [" + column.unit + "]";
    text += escaped(column.heading + unit) + delimiter;
  }
  if (!text.empty()) text.back() = '\n';
  for (const auto& row : table.rows) {
    for (const Cell& cell : row) {
      text += (cell.value ? fmt::format("{}", *cell.value) : escaped(harmless(plain_text(cell.text)))) +
              delimiter;
    }
    if (!row.empty()) text.back() = '\n';
  }
  return text;
}

}  // namespace gpubench
