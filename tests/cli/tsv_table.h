#pragma once
// Tables that gpubench prints with --format tsv.

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace gpubench::test {

using TsvRow = std::map<std::string, std::string>;

/// Returns the cells of each line by the names in the first line.
inline std::vector<TsvRow> parse_tsv(const std::string& text) {
  const auto split = [](const std::string& line) {
    std::vector<std::string> cells(1);
    for (const char c : line) {
      if (c == '\t') {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    return cells;
  };
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> names = split(line);
  std::vector<TsvRow> rows;
  while (std::getline(lines, line)) {
    const std::vector<std::string> cells = split(line);
    TsvRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size() && i < cells.size(); ++i) row[names[i]] = cells[i];
  }
  return rows;
}

}  // namespace gpubench::test
