#include <algorithm>

#include "compare/op_names.h"
#include "compare/ops_sections.h"

namespace gpubench {
namespace {

/// The line of the matrix for what `name` is about, which is new where there is none yet.
std::vector<Cell>& line_of(Table& table, const std::string& name) {
  const auto found = std::find_if(table.rows.begin(), table.rows.end(),
                                  [&](const auto& row) { return row[0].text == name; });
  if (found != table.rows.end()) return *found;
  std::vector<Cell> line(table.columns.size(), Cell{"-", {}, "was not run", Tone::kMuted});
  line.front() = {name};
  table.rows.push_back(std::move(line));
  return table.rows.back();
}

bool has_word(const Table& table, const std::string& word) {
  const auto is_it = [&](const Cell& cell) { return cell.text == word; };
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return std::any_of(row.begin(), row.end(), is_it); });
}

}  // namespace

Table op_matrix_table(const std::vector<OpRecord>& rows) {
  const OpNames names(rows);
  const std::vector<OpType> types = types_of(rows);
  Table table{"", {{"operation"}}, {}, {}};
  for (const OpType type : types) table.columns.push_back({to_string(type)});
  for (const OpRecord& row : rows) {
    const auto place = std::find(types.begin(), types.end(), row.type) - types.begin();
    line_of(table, names.without_type(row))[static_cast<std::size_t>(place) + 1] = status_cell(row);
  }
  if (has_word(table, "slow")) {
    table.notes.push_back(
        "slow: ok, yet less than 1 % of what its bound allows; whole numbers are held against the peak of "
        "fp32");
  }
  if (has_word(table, "wrong")) table.notes.push_back("wrong: not what fp64 on the CPU gives");
  if (has_word(table, "fell back")) table.notes.push_back("fell back: it ran on another device");
  return table;
}

}  // namespace gpubench
