#include "formats/parts/delimited.h"

#include <fmt/format.h>

namespace gpubench {
namespace {

/// Spreadsheets take text that begins so for a formula, and run it.
std::string harmless(const std::string& text) {
  const bool is_formula = text.find_first_of("=+-@\t\r") == 0 && text != "-";
  return is_formula ? "'" + text : text;
}

std::string heading_of(const Column& column) {
  return column.unit.empty() ? column.heading : fmt::format("{} [{}]", column.heading, column.unit);
}

}  // namespace

std::string delimited(const Table& table, char delimiter,
                      const std::function<std::string(const std::string&)>& escaped) {
  std::string text;
  for (const Column& column : table.columns) text += escaped(heading_of(column)) + delimiter;
  if (!text.empty()) text.back() = '\n';
  for (const auto& row : table.rows) {
    for (const Cell& cell : row) {
      text += (cell.value ? fmt::format("{}", *cell.value) : escaped(harmless(cell.text))) + delimiter;
    }
    if (!row.empty()) text.back() = '\n';
  }
  return text;
}

}  // namespace gpubench
