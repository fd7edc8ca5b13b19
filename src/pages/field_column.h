#pragma once
// Fields of records as columns of a table, for all tables alike.

#include <algorithm>
#include <string>
#include <vector>

#include "gpubench/record/field_table.h"

namespace gpubench {

/// Decimals that leave three digits of the smallest figure among `values`, so that the points of a column
/// stand below each other.
int decimals_for(const std::vector<FieldValue>& values);

/// A figure in the column's unit: seconds with `decimals`, fractions in percent, rates without needless
/// digits.
std::string number_text(double number, const std::string& unit, int decimals);

/// A value of one line; "-" for an absent one and for lists.
std::string cell_text(const FieldValue& value, const std::string& unit, int decimals);

/// Whether headings name the unit; other figures have it with them, or labels that say it.
bool is_in_heading(const std::string& unit);

/// Whether the column is one of text, and not of figures.
bool has_text(const std::vector<FieldValue>& values);

/// Whether a table of `records` shows the field; `is_repeated` says whether a case was run more than once.
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

}  // namespace gpubench
