#include "pages/run_table.h"

#include <utility>

#include "gpubench/core/nearest.h"
#include "gpubench/core/text/text_table.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/field_table.h"
#include "pages/field_column.h"
#include "pages/table_notes.h"

namespace gpubench {
namespace {

using Cells = std::vector<std::string>;

template <class Record>
std::string heading_of(const Field<Record>& field) {
  return is_in_heading(field.unit) ? field.label + " [" + field.unit + "]" : field.label;
}

// Adds the field's column to `table` and its cells to `rows`, one a record.
template <class Record>
void add_column(TextTable& table, std::vector<Cells>& rows, const Field<Record>& field,
                const std::vector<Record>& records) {
  std::vector<FieldValue> values;
  for (const Record& record : records) values.push_back(field.get(record));

  table.add_column(heading_of(field), has_text(values) ? Align::kLeft : Align::kRight);
  const int decimals = decimals_for(values);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].push_back(cell_text(values[i], field.unit, decimals));
  }
}

template <class Record>
std::string table_text(const FieldTable<Record>& fields, const std::vector<Record>& records,
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
