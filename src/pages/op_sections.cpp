// The rows of a table of operations, as tables and pictures.

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "compare/row_names.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/op_case.h"
#include "pages/ops_page.h"
#include "pages/record_table.h"
#include "pages/words.h"

namespace gpubench {
namespace {

using Rows = std::vector<OpRecord>;

/// "slow" for a row that is ok and slow, else the status; with its tone, and what is to be said about it.
Cell status_cell(const OpRecord& row) {
  if (row.status == RowStatus::kOk) {
    if (!is_slow(row)) return {"ok", {}, one_line(row.status_reason), Tone::kGood};
    return {"slow", {}, "reaches less than 1 % of what its nearest bound allows", Tone::kWarning};
  }
  const std::string name = row.status == RowStatus::kFellBack ? "fell back" : to_string(row.status);
  return {name, {}, one_line(row.status_reason), tone_of_failure(row.status)};
}

Cell figure_cell(const Field<OpRecord>& field, const OpRecord& row) {
  const FieldValue value = field.get(row);
  if (const Absent* why = std::get_if<Absent>(&value)) return no_figure(why->reason);
  if (const auto* text = std::get_if<std::string>(&value)) return {one_line(*text)};
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return {std::to_string(*whole), static_cast<double>(*whole)};
  }
  const double number = std::get<double>(value);
  if (!std::isfinite(number)) return no_figure("not a finite number");
  if (field.unit == "fraction") return {percent_text(number), number};
  return {field.unit.empty() ? fmt::format("{:.1e}", number) : prefixed_text(number, field.unit), number};
}

Cell cell_of(const Field<OpRecord>& field, const OpRecord& row) {
  if (field.key == "status") return status_cell(row);
  Cell cell = figure_cell(field, row);
  if (field.key == "bound" && cell.text == kNoBound)
    cell.text += fmt::format(" ({:.0f} % of the time unexplained)", 100 * unexplained_share(row).value());
  if (!cell.value) return cell;
  if (field.key == "median_call_seconds" && !row.warnings.empty()) cell.tone = Tone::kWarning;
  return cell;
}

std::vector<std::string> warnings_of(const Rows& rows) {
  const RowNames names(identities_of(rows));
  std::vector<WarningGroup> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const Warning& warning : rows[i].warnings) add_warning(warning, i, groups);
  }
  return mapped(groups, [&](const WarningGroup& group) {
    const std::size_t more = group.rows.size() - 1;
    const std::string first = names.of(identity_of(rows[group.rows.front()]));
    return fmt::format("warning: {} ({}{})", one_line(group.worst.text), one_line(first),
                       more == 0 ? "" : fmt::format(" and {} more", more));
  });
}

bool has_collectives(const Rows& rows) {
  return std::ranges::any_of(rows, [](const OpRecord& row) { return row.ranks > 1; });
}

/// A row an operation and size, in units that suit the figure.
Table op_rows_table(const Rows& rows) {
  Columns<OpRecord> columns(rows);
  for (const Field<OpRecord>& field : op_fields()) {
    if (field.shown == Shown::kInFile) continue;
    if (field.shown == Shown::kInTableOfRepeats && !has_repeats(rows)) continue;
    if (!has_collectives(rows) && (field.group == "ranks" || field.key == "ranks")) continue;
    const auto known_cell_of = [&](const OpRecord& row) {
      Cell cell = cell_of(field, row);
      // Why a row that did not end well has no figure is said in its status.
      if (cell.text == "-" && row.status != RowStatus::kOk) cell.note.clear();
      return cell;
    };
    columns.add_known({field.label, "", field.values.is_number()}, known_cell_of,
                      cell_of(field, spokesman_of(rows)).note);
  }
  Table table = folded(columns.take("", columns.absences()));
  append(table.notes, warnings_of(rows));
  return table;
}

/// The line of the matrix for what `name` is about, which is new where there is none yet.
std::vector<Cell>& line_of(Table& table, const std::string& name) {
  const auto found = std::ranges::find_if(table.rows, [&](const auto& row) { return row[0].text == name; });
  if (found != table.rows.end()) return *found;
  std::vector<Cell> line(table.columns.size(), Cell{"-", {}, "was not run", Tone::kMuted});
  line.front() = {name};
  return table.rows.emplace_back(std::move(line));
}

bool has_word(const Table& table, const std::string& word) {
  return std::ranges::any_of(
      table.rows, [&](const auto& row) { return std::ranges::find(row, word, &Cell::text) != row.end(); });
}

/// The types of the rows, in the order of all_op_types().
std::vector<OpType> types_of(const Rows& rows) {
  std::vector<OpType> types = all_op_types();
  std::erase_if(types, [&](OpType type) { return std::ranges::count(rows, type, &OpRecord::type) == 0; });
  return types;
}

/// Operations by types: how each ended.
Table op_matrix_table(const Rows& rows) {
  const RowNames names(identities_of(rows));
  const std::vector<OpType> types = types_of(rows);
  Table table{"", {{"operation"}}, {}, {}};
  for (const OpType type : types) table.columns.push_back({to_string(type)});
  for (const OpRecord& row : rows) {
    const auto place = static_cast<std::size_t>(std::ranges::find(types, row.type) - types.begin());
    const std::string name = one_line(names.of(identity_of(row).without({"type"})));
    line_of(table, name)[place + 1] = status_cell(row);
  }
  if (has_word(table, "slow")) {
    table.notes.push_back(
        "slow: ok, yet less than 1 % of what its nearest bound allows; whole numbers are held against the "
        "peak of "
        "fp32");
  }
  if (has_word(table, "wrong")) table.notes.push_back("wrong: not what fp64 on the CPU gives");
  if (has_word(table, "fell back")) table.notes.push_back("fell back: it ran on another device");
  return table;
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

/// Of which type and in what manner: what a line of a sweep is about.
std::string variant_of(const OpRecord& row, const RowNames& names) {
  const std::string name = names.of(identity_of(row).without({"op", "sizes"}));
  return name.empty() ? to_string(row.type) : one_line(name);
}

/// FLOP/s of square products by their size, a line a type; without points where no row has both.
Chart op_sweep_chart(const Rows& rows) {
  const RowNames names(identities_of(rows));
  Chart chart{"Square matrix products",
              ChartKind::kLines,
              {"rows of a matrix", "", true},
              {"rate", "GFLOP/s", true},
              {}};
  for (const OpRecord& row : rows) {
    const std::optional<double> size = size_of(row);
    const Reading<Estimate> time = usable_time(row);
    if (!size || !time.has_value() || !(row.flop > 0)) continue;
    series_called(variant_of(row, names), chart.series)
        .points.push_back(point_of(*size, rate_of(row.flop / kUnit, time.value())));
  }
  sort_points(chart.series);
  return chart;
}

/// A row for each operation of which several repetitions have a time.
Table repetitions_table(const OpsRecord& ops) {
  std::vector<RowFigures> rows = rows_of(ops);
  std::erase_if(
      rows, [](const RowFigures& row) { return row.process_seconds.size() < 2 || !row.seconds.has_value(); });
  const RowNames names(identities_of(ops.rows));
  Columns<RowFigures> table(rows);
  table.add({"operation"}, [&](const RowFigures& row) { return one_line(names.of(row.identity)); });
  table.add({"repetitions", "", true},
            [](const RowFigures& row) { return count_cell(row.process_seconds.size()); });
  table.add({"median", "", true},
            [](const RowFigures& row) { return duration_cell(row.seconds.value().value); });
  table.add({"± if run again", "", true}, [](const RowFigures& row) {
    const Reading<double> known = halfwidth_between_runs(row.process_seconds.values);
    return known.has_value() ? Cell{percent_text(known.value()), known.value()}
                             : Cell{"unknown", {}, known.reason(), Tone::kMuted};
  });
  table.add({"lowest", "", true}, [](const RowFigures& row) {
    return duration_cell(std::ranges::min(row.process_seconds.values));
  });
  table.add({"highest", "", true}, [](const RowFigures& row) {
    return duration_cell(std::ranges::max(row.process_seconds.values));
  });
  return table.take(
      "",
      {"Median, lowest and highest of the medians of repetitions that ended well; ± if run again: half the "
       "95 % interval of that median, from three repetitions on."});
}

}  // namespace

std::vector<Section> op_sections(const OpsRecord& ops) {
  if (ops.rows.empty()) return {{"Operations", {Paragraph{"The file has no row."}}}};
  std::vector<Section> sections;
  // Whoever asked for the sweep or the matrix looks for that first.
  if (ops.settings.kind == "net") add_network(sections, ops);
  if (ops.settings.kind == "sweep") add_section(sections, "Sweep", op_sweep_chart(ops.rows));
  if (types_of(ops.rows).size() > 1) add_section(sections, "Operations by types", op_matrix_table(ops.rows));
  add_section(sections, "Operations", op_rows_table(ops.rows));
  if (has_repeats(ops.rows)) add_section(sections, "Repetitions", repetitions_table(ops));
  return sections;
}

}  // namespace gpubench
