#pragma once
// Records as tables by their field tables: for people, and for files that other programs read.

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "gpubench/core/collect.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/page.h"
#include "pages/columns.h"

namespace gpubench {

/// Decimals that leave three digits of the smallest figure among `values`, so that the points of a column
/// stand below each other.
int decimals_for(const std::vector<FieldValue>& values);

/// A value of one line in the column's unit: seconds with `decimals`, fractions in percent, rates without
/// needless digits; "-" for an absent one and for lists, "< 0.60" where what it is at most is known.
std::string cell_text(const FieldValue& value, const std::string& unit, int decimals);

/// The same in a column whose heading has the unit.
Cell field_cell(const FieldValue& value, const std::string& unit, int decimals);

/// A value for other programs: in base units, empty for an absent one.
Cell data_cell(const FieldValue& value);

/// Why there is no value; empty where there is one.
std::string why_absent(const FieldValue& value);

/// Whether headings name the unit; other figures have it with them, or labels that say it.
bool is_in_heading(const std::string& unit);

/// "s", "%", or nothing where the label says it.
std::string unit_of_column(const std::string& unit);

/// Whether the column is one of text, and not of figures.
bool has_text(const std::vector<FieldValue>& values);

/// Columns that say the same in each of several rows become a note, but for the one that says what a row is
/// about and that of the status.
Table folded(Table table);

void remove_column(Table& table, std::size_t column);

/// Whether a row was run more than once.
template <class Record>
bool has_repeats(const std::vector<Record>& rows) {
  return std::ranges::any_of(rows, [](const Record& row) { return row.repeat > 1; });
}

/// The record that says why none has a figure: the first that ended well, where there is any.
template <class Record>
const Record& spokesman_of(const std::vector<Record>& records) {
  const auto good = std::ranges::find(records, RowStatus::kOk, &Record::status);
  return good == records.end() ? records.front() : *good;
}

/// Whether a table of `records` shows the field. That of the first repetition is the usual one.
template <class Record>
bool is_shown(const Field<Record>& field, const std::vector<Record>& records) {
  if (field.shown == Shown::kInFile || field.shown == Shown::kInTable) return field.shown == Shown::kInTable;
  const FieldValue usual = field.get(Record{});
  return std::ranges::any_of(records, [&](const Record& record) {
    const FieldValue value = field.get(record);
    return !std::holds_alternative<Absent>(value) && value != usual;
  });
}

/// The fields that tables show (see is_shown), a row a record. Of what all lack, the reason of `spokesman` is
/// noted. There is at least one record.
template <class Record, class Fields>
Table record_table(std::string title, const Fields& fields, const std::vector<Record>& records,
                   const Record& spokesman) {
  Columns<Record> columns(records);
  for (const Field<Record>& field : fields) {
    if (!is_shown(field, records)) continue;
    const std::vector<FieldValue> values = mapped(records, field.get);
    const auto cell_of = [&, decimals = decimals_for(values)](const Record& record) {
      return field_cell(field.get(record), field.unit, decimals);
    };
    columns.add_known({field.label, unit_of_column(field.unit), !has_text(values)}, cell_of,
                      why_absent(field.get(spokesman)));
  }
  return folded(columns.take(std::move(title), columns.absences()));
}

/// A row a record and a column for each field of a single value, called as in the file, in base units.
template <class Record>
Table record_data(const FieldTable<Record>& fields, const std::vector<Record>& records,
                  const std::string& name) {
  Columns<Record> columns(records);
  columns.add({"file"}, [&](const Record&) { return name; });
  for (const Field<Record>& field : fields) {
    if (!field.values.is_single()) continue;
    columns.add({field.key, "", field.values.is_number()},
                [&](const Record& record) { return data_cell(field.get(record)); });
  }
  return columns.take();
}

}  // namespace gpubench
