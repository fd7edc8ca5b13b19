#include "formats/parts/delimited.h"

#include <fmt/format.h>

namespace gpubench {
namespace {

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
      text += (cell.value ? fmt::format("{}", *cell.value) : escaped(cell.text)) + delimiter;
    }
    if (!row.empty()) text.back() = '\n';
  }
  return text;
}

}  // namespace gpubench
