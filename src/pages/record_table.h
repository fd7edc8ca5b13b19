#pragma once
// Tables of records by their field tables.

#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpubench/core/nearest.h"
#include "gpubench/record/page.h"
#include "pages/field_column.h"

namespace gpubench {

/// What has no value in any record, by the reason: said once below the table instead of in a column of
/// dashes.
class Absences {
 public:
  void add(const std::string& label, const std::string& reason) { labels_[reason].push_back(label); }

  /// "no MFU, bound by: not measured", a line a reason.
  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    for (const auto& [reason, labels] : labels_) notes.push_back("no " + join(labels) + ": " + reason);
    return notes;
  }

 private:
  std::map<std::string, std::vector<std::string>> labels_;
};

/// "s", "%", or nothing where the label says it.
inline std::string unit_of_column(const std::string& unit) {
  if (unit == "fraction") return "%";
  return is_in_heading(unit) ? unit : "";
}

/// The value as it stands in a column of `unit`.
inline Cell cell_of(const FieldValue& value, const std::string& unit, int decimals) {
  Cell cell{cell_text(value, unit, decimals)};
  if (const auto* count = std::get_if<std::int64_t>(&value)) cell.value = static_cast<double>(*count);
  if (const auto* number = std::get_if<double>(&value)) {
    if (std::isfinite(*number)) cell.value = unit == "fraction" ? 100 * *number : *number;
    // The heading has the sign.
    if (unit == "fraction" && cell.text.ends_with(" %")) cell.text.resize(cell.text.size() - 2);
  }
  if (cell.text == "-") cell.tone = Tone::kMuted;
  return cell;
}

inline void remove_column(Table& table, std::size_t column) {
  const auto offset = static_cast<std::ptrdiff_t>(column);
  table.columns.erase(table.columns.begin() + offset);
  for (auto& row : table.rows) row.erase(row.begin() + offset);
}

/// Whether a column of text says the same in each of several rows, and could as well be said once.
inline bool is_constant(const Table& table, std::size_t column) {
  if (table.rows.size() < 2 || table.columns[column].is_number) return false;
  const std::string& text = table.rows.front()[column].text;
  return std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return row[column].text == text; });
}

/// Moves such columns into a note, but for the one that says what a row is about and that of the status.
inline void fold_constants(Table& table) {
  std::vector<std::string> folded;
  for (std::size_t i = table.columns.size(); i-- > 1;) {
    if (table.columns[i].heading == "status" || !is_constant(table, i)) continue;
    const std::string& text = table.rows.front()[i].text;
    if (!text.empty()) folded.insert(folded.begin(), table.columns[i].heading + " " + text);
    remove_column(table, i);
  }
  if (!folded.empty()) table.notes.insert(table.notes.begin(), "all rows: " + join(folded));
}

template <class Record>
void add_column(Table& table, Absences& absences, const Field<Record>& field,
                const std::vector<Record>& records, std::size_t spokesman) {
  std::vector<FieldValue> values;
  for (const Record& record : records) values.push_back(field.get(record));
  const auto is_absent = [](const FieldValue& value) { return std::holds_alternative<Absent>(value); };
  if (std::all_of(values.begin(), values.end(), is_absent)) {
    absences.add(field.label, std::get<Absent>(values[spokesman]).reason);
    return;
  }
  table.columns.push_back({field.label, unit_of_column(field.unit), !has_text(values)});
  const int decimals = decimals_for(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    table.rows[i].push_back(cell_of(values[i], field.unit, decimals));
  }
}

/// The fields that tables show (see is_shown), a row a record. Of what all lack, the reason of the record at
/// `spokesman` is noted. There is at least one record.
template <class Record, class Fields>
Table record_table(std::string title, const Fields& fields, const std::vector<Record>& records,
                   bool is_repeated, std::size_t spokesman) {
  Table table{std::move(title), {}, {}, {}};
  table.rows.resize(records.size());
  Absences absences;
  for (const Field<Record>& field : fields) {
    if (is_shown(field, records, is_repeated)) add_column(table, absences, field, records, spokesman);
  }
  table.notes = absences.notes();
  fold_constants(table);
  return table;
}

}  // namespace gpubench
