// What a person sees after a run. The only place where units are made pretty; the result file has them plain.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/nearest.h"
#include "gpubench/core/text_table.h"
#include "gpubench/record/field_table.h"
#include "report/entries.h"

namespace gpubench {
namespace {

// Messages come from drivers and libraries: the first line says it, and control characters must not
// reach the terminal. The result file keeps the whole.
std::string one_line(const std::string& message) {
  std::string text = message.substr(0, message.find('\n'));
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

std::string rate_text(double rate) {
  return rate < 100 ? fmt::format("{:.1f}", rate) : with_separators(std::llround(rate));
}

std::string number_text(double number, const std::string& unit, int decimals) {
  if (!std::isfinite(number)) return "-";
  if (unit == "s") return fmt::format("{:.{}f}", number, decimals);
  if (unit == "samples/s") return rate_text(number);
  if (unit == "fraction") return fmt::format("{:.2f} %", 100 * number);
  return fmt::format("{}", number);
}

using Cells = std::vector<std::string>;

// Decimals that leave three digits of the column's smallest figure, so that its points stand below each
// other.
int decimals_for(const std::vector<FieldValue>& values) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const FieldValue& value : values) {
    const double* number = std::get_if<double>(&value);
    if (number != nullptr && *number != 0) smallest = std::min(smallest, std::abs(*number));
  }
  return 2 + (smallest < 1 ? 1 : 0) + (smallest < 0.1 ? 1 : 0);
}

std::string cell_text(const FieldValue& value, const std::string& unit, int decimals) {
  if (const auto* text = std::get_if<std::string>(&value)) return one_line(*text);
  if (const auto* count = std::get_if<std::int64_t>(&value)) return std::to_string(*count);
  if (const auto* number = std::get_if<double>(&value)) return number_text(*number, unit, decimals);
  return "-";
}

std::string heading_of(const Field<CaseRecord>& field) {
  return field.unit == "s" ? field.label + " [s]" : field.label;
}

Align alignment_of(const std::vector<FieldValue>& values) {
  const auto is_text = [](const FieldValue& value) { return std::holds_alternative<std::string>(value); };
  return std::any_of(values.begin(), values.end(), is_text) ? Align::kLeft : Align::kRight;
}

// Adds the field's column to `table` and its cells to `rows`, one a case.
void add_column(TextTable& table, std::vector<Cells>& rows, const Field<CaseRecord>& field,
                const std::vector<CaseRecord>& cases) {
  std::vector<FieldValue> values;
  for (const CaseRecord& record : cases) values.push_back(field.get(record));

  table.add_column(heading_of(field), alignment_of(values));
  const int decimals = decimals_for(values);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].push_back(cell_text(values[i], field.unit, decimals));
  }
}

std::string table_text(const std::vector<CaseRecord>& cases) {
  TextTable table;
  std::vector<Cells> rows(cases.size());
  for (const Field<CaseRecord>& field : case_fields()) {
    if (field.shown == Shown::kInTable) add_column(table, rows, field, cases);
  }
  for (Cells& row : rows) table.add_row(std::move(row));
  return table.to_string();
}

using Notes = std::vector<std::string>;

void note_failures(Notes& notes, const std::vector<CaseRecord>& cases) {
  for (const CaseRecord& c : cases) {
    if (c.status == CaseStatus::kOk) continue;
    notes.push_back(fmt::format("{} on {}, {}, batch {}: {}: {}", c.model, c.device, c.dataset, c.batch_size,
                                to_string(c.status), one_line(c.status_reason)));
  }
}

void note_data(Notes& notes, const std::vector<DatasetRecord>& datasets) {
  for (const DatasetRecord& dataset : datasets) {
    std::vector<std::string> parts{dataset.name};
    if (dataset.is_synthetic) parts.push_back("synthetic data, so accuracy means nothing");
    if (!dataset.note.empty()) parts.push_back(one_line(dataset.note));
    if (parts.size() > 1) notes.push_back(join(parts, ": "));
  }
}

std::string dropped_text(std::int64_t warmup_epochs) {
  if (warmup_epochs == 0) return "none is dropped";
  if (warmup_epochs == 1) return "the first is dropped";
  return fmt::format("the first {} are dropped", warmup_epochs);
}

std::string protocol_text(const CaseRecord& c) {
  const std::int64_t first = c.warmup_epochs + 1;
  const std::string counted =
      first == c.epochs ? fmt::format("epoch {}", first) : fmt::format("epochs {} to {}", first, c.epochs);
  return fmt::format("median and std dev: {} of {}; {}", counted, c.epochs, dropped_text(c.warmup_epochs));
}

void note_protocols(Notes& notes, const std::vector<CaseRecord>& cases) {
  for (const CaseRecord& c : cases) {
    if (c.warmup_epochs >= c.epochs) continue;
    const std::string note = protocol_text(c);
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }
}

std::string render(const RunRecord& record) {
  Notes notes;
  note_failures(notes, record.cases);
  note_data(notes, record.environment.datasets);
  note_protocols(notes, record.cases);
  const std::string table = table_text(record.cases);
  return notes.empty() ? table : table + "\n" + join(notes, "\n") + "\n";
}

}  // namespace

ReportFormat entry_table() { return {"table", "aligned text for the terminal, a row a case", render}; }

}  // namespace gpubench
