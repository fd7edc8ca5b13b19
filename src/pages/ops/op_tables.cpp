#include "pages/ops/op_tables.h"

#include <algorithm>
#include <optional>

#include "compare/row_names.h"
#include "gpubench/core/error.h"
#include "gpubench/record/op_case.h"
#include "pages/table_notes.h"
#include "pages/words.h"

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

/// Rows of the first matrix; nothing for sizes that are none, as a file of others may have.
std::optional<double> size_of(const OpRecord& row) {
  try {
    const OpCase sizes = parse_op_case(row.sizes, "sizes");
    if (sizes.tensors.empty() || sizes.tensors[0].empty()) return std::nullopt;
    return static_cast<double>(sizes.tensors[0][0]);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// FLOP/s would have a dozen digits.
constexpr double kUnit = 1e9;

std::optional<Point> sweep_point(const OpRecord& row) {
  const std::optional<double> size = size_of(row);
  const Reading<Estimate> time = usable_time(row);
  if (!size || !time.has_value() || !(row.flop > 0)) return std::nullopt;
  return rate_point(*size, row.flop / kUnit, time.value());
}

/// Of which type and in what manner: what a line of a sweep is about.
std::string variant_of(const OpRecord& row, const RowNames& names) {
  const std::string name = names.of(identity_of(row).without({"op", "sizes"}));
  return name.empty() ? to_string(row.type) : one_line(name);
}

}  // namespace

std::vector<OpType> types_of(const std::vector<OpRecord>& rows) {
  std::vector<OpType> types;
  for (const OpType type : all_op_types()) {
    const bool is_there =
        std::any_of(rows.begin(), rows.end(), [&](const OpRecord& row) { return row.type == type; });
    if (is_there) types.push_back(type);
  }
  return types;
}

Table op_matrix_table(const std::vector<OpRecord>& rows) {
  const RowNames names(identities_of(rows));
  const std::vector<OpType> types = types_of(rows);
  Table table{"", {{"operation"}}, {}, {}};
  for (const OpType type : types) table.columns.push_back({to_string(type)});
  for (const OpRecord& row : rows) {
    const auto place = std::find(types.begin(), types.end(), row.type) - types.begin();
    line_of(table,
            one_line(names.of(identity_of(row).without({"type"}))))[static_cast<std::size_t>(place) + 1] =
        status_cell(row);
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

Chart op_sweep_chart(const std::vector<OpRecord>& rows) {
  const RowNames names(identities_of(rows));
  Chart chart{"Square matrix products",
              ChartKind::kLines,
              {"rows of a matrix", "", true},
              {"rate", "GFLOP/s", true},
              {}};
  for (const OpRecord& row : rows) {
    const std::optional<Point> point = sweep_point(row);
    if (point) series_called(variant_of(row, names), chart.series).points.push_back(*point);
  }
  sort_points(chart.series);
  return chart;
}

}  // namespace gpubench
