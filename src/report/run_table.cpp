#include "gpubench/run_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/nearest.h"
#include "gpubench/core/text_table.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/field_table.h"
#include "report/table_notes.h"

namespace gpubench {
namespace {

std::string rate_text(double rate) {
  return rate < 100 ? fmt::format("{:.1f}", rate) : with_separators(std::llround(rate));
}

std::string number_text(double number, const std::string& unit, int decimals) {
  if (!std::isfinite(number)) return "-";
  if (unit == "s") return fmt::format("{:.{}f}", number, decimals);
  if (unit == "samples/s") return rate_text(number);
  if (unit == "fraction") return fmt::format("{:.2f} %", 100 * number);
  return std::abs(number) < 1000 ? fmt::format("{:.4g}", number) : with_separators(std::llround(number));
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

template <class Record>
std::string heading_of(const Field<Record>& field) {
  return field.unit == "s" ? field.label + " [s]" : field.label;
}

Align alignment_of(const std::vector<FieldValue>& values) {
  const auto is_text = [](const FieldValue& value) { return std::holds_alternative<std::string>(value); };
  return std::any_of(values.begin(), values.end(), is_text) ? Align::kLeft : Align::kRight;
}

// Adds the field's column to `table` and its cells to `rows`, one a record.
template <class Record>
void add_column(TextTable& table, std::vector<Cells>& rows, const Field<Record>& field,
                const std::vector<Record>& records) {
  std::vector<FieldValue> values;
  for (const Record& record : records) values.push_back(field.get(record));

  table.add_column(heading_of(field), alignment_of(values));
  const int decimals = decimals_for(values);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].push_back(cell_text(values[i], field.unit, decimals));
  }
}

template <class Record>
bool is_shown(const Field<Record>& field, const std::vector<Record>& records, bool is_repeated) {
  if (field.shown == Shown::kInTableOfRepeats) return is_repeated;
  if (field.shown != Shown::kInTableWhereUnusual) return field.shown == Shown::kInTable;
  const FieldValue usual = field.get(Record{});
  return std::any_of(records.begin(), records.end(), [&](const Record& record) {
    const FieldValue value = field.get(record);
    return !std::holds_alternative<Absent>(value) && value != usual;
  });
}

template <class Record>
std::string table_text(std::span<const Field<Record>> fields, const std::vector<Record>& records,
                       bool is_repeated) {
  TextTable table;
  std::vector<Cells> rows(records.size());
  for (const Field<Record>& field : fields) {
    if (is_shown(field, records, is_repeated)) add_column(table, rows, field, records);
  }
  for (Cells& row : rows) table.add_row(std::move(row));
  return table.to_string();
}

}  // namespace

std::string run_table(const RunRecord& record) {
  std::string text = table_text(case_fields(), record.cases, has_repeats(record.cases));
  const std::vector<RepeatGroup> groups = repeat_groups(record);
  if (!groups.empty()) text += "\n" + table_text(repeat_fields(), groups, true);
  const std::vector<std::string> notes = table_notes(record);
  return notes.empty() ? text : text + "\n" + join(notes, "\n") + "\n";
}

}  // namespace gpubench
