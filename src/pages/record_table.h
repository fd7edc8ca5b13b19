#pragma once
// Tables: column by column, or from records by their field tables.

#include <algorithm>
#include <array>
#include <cstddef>
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

/// What no row has, by the reason: said once below the table instead of in a column of dashes.
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

/// A table with a row for each of some things, which outlive this.
template <class Row>
class Columns {
 public:
  explicit Columns(const std::vector<Row>& rows) : rows_(rows), cells_(rows.size()) {}
  explicit Columns(std::vector<Row>&&) = delete;

  /// `make_cell` a row is its cell, or the text of it.
  template <class CellOf>
  void add(Column column, CellOf make_cell) {
    columns_.push_back(std::move(column));
    for (std::size_t i = 0; i < rows_.size(); ++i) cells_[i].push_back(Cell{make_cell(rows_[i])});
  }

  /// The same where any cell has a figure; else `reason` goes to the absences.
  template <class CellOf>
  void add_known(Column column, CellOf make_cell, const std::string& reason) {
    if (any([&](const Row& row) { return make_cell(row).text != "-"; }))
      add(std::move(column), make_cell);
    else
      absences_.add(column.heading, reason);
  }

  /// The same of texts, where any is not empty.
  template <class TextOf>
  void add_told(Column column, TextOf to_text) {
    if (any([&](const Row& row) { return !to_text(row).empty(); })) add(std::move(column), to_text);
  }

  /// For other programs: the value of an estimate and the ends of its interval, empty where there are none.
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
const Record& find_representative(const std::vector<Record>& records) {
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
    return !std::holds_alternative<Missing>(value) && value != usual;
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
    const auto make_cell = [&, decimals = decimals_for(values)](const Record& record) {
      return field_cell(field.get(record), field.unit, decimals);
    };
    columns.add_known({field.label, unit_of_column(field.unit), !has_text(values)}, make_cell,
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
