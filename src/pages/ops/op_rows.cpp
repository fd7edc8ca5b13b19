#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compare/row_names.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/record/field_table.h"
#include "pages/ops/op_tables.h"
#include "pages/record_table.h"
#include "pages/table_notes.h"
#include "pages/words.h"

namespace gpubench {
namespace {

using Rows = std::vector<OpRecord>;

Cell text_cell(const std::string& text) { return {one_line(text)}; }

Cell figure_cell(const Field<OpRecord>& field, const OpRecord& row) {
  const FieldValue value = field.get(row);
  if (const Absent* why = std::get_if<Absent>(&value)) return no_figure(why->reason);
  if (const auto* text = std::get_if<std::string>(&value)) return text_cell(*text);
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
  if (!cell.value) return cell;
  if (field.key == "median_call_seconds" && !row.warnings.empty()) cell.tone = Tone::kWarning;
  // Of a cache, or the peak is too low: worth a look either way.
  if (field.key.ends_with("_share") && *cell.value > 1) {
    cell.note = "above the device's best: what a cache holds is not read from memory";
    cell.tone = Tone::kMuted;
  }
  return cell;
}

/// Why a row that did not end well has no figure is said in its status.
void add_column(Table& table, Absences& absences, const Field<OpRecord>& field, const Rows& rows) {
  std::vector<Cell> cells;
  for (const OpRecord& row : rows) cells.push_back(cell_of(field, row));
  const auto is_none = [](const Cell& cell) { return cell.text == "-"; };
  if (std::all_of(cells.begin(), cells.end(), is_none)) {
    const auto good = std::find_if(rows.begin(), rows.end(),
                                   [](const OpRecord& row) { return row.status == RowStatus::kOk; });
    const auto spokesman =
        static_cast<std::size_t>((good == rows.end() ? rows.begin() : good) - rows.begin());
    absences.add(field.label, cells[spokesman].note);
    return;
  }
  table.columns.push_back({field.label, "", field.values.is_number()});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (is_none(cells[i]) && rows[i].status != RowStatus::kOk) cells[i].note.clear();
    table.rows[i].push_back(std::move(cells[i]));
  }
}

bool is_repeated(const Rows& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const OpRecord& row) { return row.repeat > 1; });
}

std::vector<std::string> warnings_of(const Rows& rows) {
  const RowNames names(identities_of(rows));
  std::vector<WarningGroup> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const Warning& warning : rows[i].warnings) add_warning(warning, i, groups);
  }
  std::vector<std::string> notes;
  for (const auto& [worst, who] : groups) {
    const std::string others = who.size() == 1 ? "" : fmt::format(" and {} more", who.size() - 1);
    const std::string first = names.of(identity_of(rows[who.front()]));
    notes.push_back(fmt::format("warning: {} ({}{})", one_line(worst.text), one_line(first), others));
  }
  return notes;
}

}  // namespace

Cell status_cell(const OpRecord& row) {
  if (row.status == RowStatus::kOk) {
    if (!is_slow(row)) return {"ok", {}, one_line(row.status_reason), Tone::kGood};
    return {"slow", {}, "reaches less than 1 % of what its bound allows", Tone::kWarning};
  }
  const bool is_bad =
      row.status == RowStatus::kWrong || row.status == RowStatus::kError || row.status == RowStatus::kCrashed;
  return {row.status == RowStatus::kFellBack ? "fell back" : to_string(row.status),
          {},
          one_line(row.status_reason),
          is_bad ? Tone::kBad : Tone::kWarning};
}

Table op_rows_table(const Rows& rows) {
  Table table{"", {}, {}, {}};
  table.rows.resize(rows.size());
  Absences absences;
  for (const Field<OpRecord>& field : op_fields()) {
    if (field.shown == Shown::kInTableOfRepeats && !is_repeated(rows)) continue;
    if (field.shown != Shown::kInFile) add_column(table, absences, field, rows);
  }
  table.notes = absences.notes();
  fold_constants(table);
  for (std::string& note : warnings_of(rows)) table.notes.push_back(std::move(note));
  return table;
}

}  // namespace gpubench
