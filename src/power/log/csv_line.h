#pragma once
// Lines of comma-separated values, also of countries where the comma is the decimal sign.

#include <string_view>
#include <vector>

namespace gpubench {

/// Fields of a line, and what its numbers have between whole and fraction.
struct CsvLine {
  std::vector<std::string_view> fields;
  char point = '.';
};

/// The fields between separators, without the spaces and double quotes around them.
std::vector<std::string_view> split_fields(std::string_view line, char separator);

/// Splits at ';' where the line has one, else at ','.
CsvLine split_csv(std::string_view line);

/// Puts "230" and "71 W" together where more fields than `columns` are there: a comma right between digits,
/// whose number ends with a unit, is a decimal sign. All others stay as they are.
void join_decimals(CsvLine& line, std::size_t columns);

}  // namespace gpubench
