#include "pages/run_page.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/text_table.h"
#include "pages/energy_table.h"
#include "pages/run_sections.h"

namespace gpubench {
namespace {

std::string heading_text(const Column& column) {
  return column.unit == "s" || column.unit == "J" || column.unit == "W"
             ? fmt::format("{} [{}]", column.heading, column.unit)
             : column.heading;
}

std::string cell_text(const Column& column, const Cell& cell) {
  return column.unit == "%" && cell.value ? cell.text + " %" : cell.text;
}

std::string table_text(const Table& table) {
  TextTable text;
  for (const Column& column : table.columns)
    text.add_column(heading_text(column), column.is_number ? Align::kRight : Align::kLeft);
  for (const std::vector<Cell>& row : table.rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i) cells.push_back(cell_text(table.columns[i], row[i]));
    text.add_row(std::move(cells));
  }
  return table.rows.empty() ? "" : text.to_string();
}

/// What is in brackets is why each of a dozen meters cannot be read.
std::string briefly(const std::string& reason) {
  const std::size_t details = reason.find(" (");
  if (details == std::string::npos) return reason;
  return reason.substr(0, details) + "; 'gpubench doctor --power' says why";
}

std::vector<std::string> energy_notes(const RunRecord& run) {
  std::vector<Contender> devices = contenders_of(run, "");
  for (Contender& device : devices) {
    device.label = device.device.name;
    for (RowFigures& row : device.rows) {
      if (!row.epoch_joules.has_value()) row.epoch_joules = absent(briefly(row.epoch_joules.reason()));
    }
  }
  return mapped(energy_absences(devices), &Paragraph::text);
}

}  // namespace

std::string run_table(const RunRecord& record) {
  if (record.cases.empty()) return "no case was measured\n";
  if (const auto part = beginning_of(record)) return run_table(*part) + left_out_text(record) + "\n";
  const Table all = cases_table(record, Beside::kNothing);
  std::vector<std::string> notes = failure_notes(record.cases);
  append(notes, all.notes);
  append(notes, warning_notes(record.cases));
  append(notes, data_notes(record.environment.datasets));
  append(notes, energy_notes(record));
  append(notes, method_notes(record));
  const Table some = table_of_some(record);
  std::string text = table_text(all);
  if (!some.rows.empty()) text += "\n" + table_text(some);
  text += "\n" + table_text(scaling_table(record));
  if (text.ends_with("\n\n")) text.pop_back();
  for (const std::string& note : some.notes) {
    if (std::ranges::find(all.notes, note) == all.notes.end()) text += note + "\n";
  }
  return notes.empty() ? text : text + "\n" + join(notes, "\n") + "\n";
}

}  // namespace gpubench
