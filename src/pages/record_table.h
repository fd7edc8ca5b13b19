#pragma once
// Tables: column by column, or from records by their field tables.

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/page.h"
#include "pages/format.h"

namespace gpubench {

/// Figures that no row has, by the reason: named once below the table instead of in a column of dashes.
class Absences {
 public:
  void add(const std::string& heading, const std::string& reason) { headings_[reason].push_back(heading); }

  /// "no MFU, limited by: not measured", a line a reason.
  std::vector<std::string> notes() const {
    return mapped(headings_,
                  [](const auto& entry) { return "no " + join(entry.second) + ": " + entry.first; });
  }

 private:
  std::map<std::string, std::vector<std::string>> headings_;
};

/// A table with a row for each of some things, which outlive this. Functions and pointers to members make the
/// cells, see to_cell().
template <class Row>
class Columns {
 public:
  explicit Columns(const std::vector<Row>& rows) : rows_(rows), cells_(rows.size()) {}
  explicit Columns(std::vector<Row>&&) = delete;

  template <class ValueOf>
  void add(Column column, ValueOf make_value) {
    columns_.push_back(std::move(column));
    for (std::size_t i = 0; i < rows_.size(); ++i)
      cells_[i].push_back(to_cell(std::invoke(make_value, rows_[i])));
  }

  template <class TextOf>
  void text(std::string heading, TextOf make_text) {
    add({std::move(heading)}, make_text);
  }

  template <class NumberOf>
  void number(std::string heading, std::string unit, NumberOf make_number) {
    add({std::move(heading), std::move(unit), true}, make_number);
  }

  /// Adds the column if any cell has a figure; else `reason` goes to the absences.
  template <class CellOf>
  void add_known(Column column, CellOf make_cell, const std::string& reason) {
    if (any([&](const Row& row) { return make_cell(row).text != "-"; }))
      add(std::move(column), make_cell);
    else
      absences_.add(column.heading, reason);
  }

  /// Adds a column of texts if any is not empty.
  template <class TextOf>
  void add_told(Column column, TextOf make_text) {
    if (any([&](const Row& row) { return !std::string(std::invoke(make_text, row)).empty(); }))
      add(std::move(column), make_text);
  }

  /// For other programs: the value of an estimate and the ends of its interval, empty without them.
  template <class EstimateOf>
  void add_estimate(const std::array<const char*, 3>& headings, EstimateOf make_estimate) {
    for (const char* heading : headings) columns_.push_back({heading});
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (Cell& cell : estimate_cells(make_estimate(rows_[i]))) cells_[i].push_back(std::move(cell));
    }
  }

  template <class Is>
  bool any(Is is) const {
    return std::ranges::any_of(rows_, is);
  }

  std::vector<std::string> absences() const { return absences_.notes(); }

  /// The table; nothing is left here.
  Table take(std::string title = "", std::vector<std::string> notes = {}) {
    return {std::move(title), std::move(columns_), std::move(cells_), std::move(notes)};
  }

 private:
  const std::vector<Row>& rows_;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> cells_;
  Absences absences_;
};

/// A value of one line in the column's unit: seconds with `decimals`, fractions in percent, rates without
/// needless digits; "-" for an absent one and for lists.
std::string cell_text(const FieldValue& value, const std::string& unit, int decimals);

/// The cell of a value in a column whose heading has the unit. The points of a column stand below each other.
Cell field_cell(const FieldValue& value, const std::string& unit, int decimals);

/// The column of a field with these values, and the decimals that leave three digits of the smallest.
std::pair<Column, int> find_column(const FieldFacts& field, const std::vector<FieldValue>& values);

/// A value for other programs: in base units, empty for an absent one.
Cell data_cell(const FieldValue& value);

/// Returns the reason of a missing value; empty for a present one.
std::string why_absent(const FieldValue& value);

/// Turns text columns that are equal in all of several rows into a note, except the first one and the status.
Table folded(Table table);

void remove_column(Table& table, std::size_t column);

/// Returns whether a row was run more than once.
template <class Record>
bool has_repeats(const std::vector<Record>& rows) {
  return std::ranges::any_of(rows, [](const Record& row) { return row.repeat > 1; });
}

/// The record whose reason stands for a figure that none has: the first that ended well, else the first.
template <class Record>
const Record& find_representative(const std::vector<Record>& records) {
  const auto good = std::ranges::find(records, RowStatus::kOk, &Record::status);
  return good == records.end() ? records.front() : *good;
}

/// Returns whether a table of `records` shows the field.
template <class Record>
bool is_shown(const Field<Record>& field, const std::vector<Record>& records) {
  if (field.shown == Shown::kInFile || field.shown == Shown::kInTable) return field.shown == Shown::kInTable;
  const FieldValue usual = field.get(Record{});
  return std::ranges::any_of(records, [&](const Record& record) {
    const FieldValue value = field.get(record);
    return !std::holds_alternative<Missing>(value) && value != usual;
  });
}

/// The fields that tables show (see is_shown), a row a record, of at least one record. Fields that all lack
/// are noted with the reason of `representative`.
template <class Record, class Fields>
Table record_table(std::string title, const Fields& fields, const std::vector<Record>& records,
                   const Record& representative) {
  Columns<Record> columns(records);
  for (const Field<Record>& field : fields) {
    if (!is_shown(field, records)) continue;
    const auto [column, decimals] = find_column(field, mapped(records, field.get));
    const auto make_cell = [&field, digits = decimals](const Record& record) {
      return field_cell(field.get(record), field.unit, digits);
    };
    columns.add_known(column, make_cell, why_absent(field.get(representative)));
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
