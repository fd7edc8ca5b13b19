#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compare/comparison.h"
#include "gpubench/core/collect.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/page.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Returns the first line without control characters: messages come from drivers and libraries.
std::string one_line(const std::string& message);

/// Returns "12.0 to 12.6", or an empty text without an interval.
std::string interval_text(const Measured<Estimate>& estimate);

/// Returns `before` and `text`, or an empty text if `text` is empty.
std::string prepend_if_any(const std::string& before, const std::string& text);

/// Returns "1 case" or "12 cases".
std::string counted(std::size_t count, const std::string& noun);

/// Returns "a; b; c"; of a long list the first parts and the number of the others.
std::string counted(std::vector<std::string> parts);

/// Returns title, protocol and note of a publication; empty for a measured run.
std::vector<Paragraph> publication_cautions(const std::optional<PublishedRecord>& publication);

template <class... Arguments>
Paragraph caution(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return {fmt::format(text, std::forward<Arguments>(arguments)...), Tone::kWarning};
}

/// Returns "Device cpu (Processor 9000), host desk, suite quick, started 2024-02-03T04:05:06Z."
std::string describe_place(const std::vector<std::string>& devices, const RunRecord& run);

/// Returns the tone of a status: good for ok, a warning for rows that did not run, bad for failures.
Tone find_tone(RowStatus status);

// Cells for people: a figure in the unit of the column, or "-" with the reason as a note.
Cell no_figure(const std::string& why);
Cell number_cell(double number);
Cell number_cell(const Measured<double>& number);
/// "2.10 ms".
Cell duration_cell(const Measured<double>& seconds);
/// "7.3 %".
Cell percent_cell(const Measured<double>& part);
/// A value of a metric with its unit: "2.10 ms", "6.4 GiB", "81.2 %".
Cell metric_cell(double value, const Metric& metric);

// Cell for other programs, empty without a figure.
Cell value_cell(const Measured<double>& value);

template <class Value>
Cell to_cell(Value value) {
  if constexpr (std::is_same_v<Value, Cell>) {
    return value;
  } else if constexpr (std::is_convertible_v<Value, std::string>) {
    return {std::move(value)};
  } else if constexpr (std::is_integral_v<Value>) {
    return {std::to_string(value), static_cast<double>(value)};
  } else {
    return number_cell(value);
  }
}

// Points and lines of charts.
Point make_point(double x, const Estimate& estimate);
/// Returns `estimate` times `factor`.
Estimate scaled(const Estimate& estimate, double factor);
/// Adds a point to the series of this name; creates the series if it is missing.
void add_point(std::vector<Series>& all, const std::string& name, Point point);
/// Adds a bar to a series in a category; creates both if they are missing.
void add_bar(Chart& chart, const std::string& series, const std::string& category, const Estimate& estimate);

inline bool has_content(const Block&) { return true; }
inline bool has_content(const Table& table) { return !table.rows.empty(); }
inline bool has_content(const Chart& chart) { return !chart.series.empty(); }

/// Adds a block or a list of blocks; skips tables without rows and charts without series.
template <class Part>
void add_content(std::vector<Block>& blocks, Part part) {
  if constexpr (std::ranges::range<Part>) {
    for (auto& one : part) add_content(blocks, std::move(one));
  } else if (has_content(part)) {
    blocks.emplace_back(std::move(part));
  }
}

template <class... Parts>
void add_section(std::vector<Section>& sections, std::string title, Parts... parts) {
  Section section{std::move(title), {}};
  (add_content(section.blocks, std::move(parts)), ...);
  if (!section.blocks.empty()) sections.push_back(std::move(section));
}

/// Groups items by key, in the order in which keys first occur.
template <class Items, class KeyOf>
auto grouped(const Items& items, KeyOf make_key) {
  using Item = std::ranges::range_value_t<Items>;
  using Key = std::decay_t<std::invoke_result_t<KeyOf, const Item&>>;
  std::vector<std::pair<Key, std::vector<Item>>> groups;
  for (const Item& item : items) {
    Key key = std::invoke(make_key, item);
    auto group = std::ranges::find_if(groups, [&](const auto& known) { return known.first == key; });
    if (group == groups.end()) group = groups.insert(group, {std::move(key), {}});
    group->second.push_back(item);
  }
  return groups;
}

/// Builder of a table from `rows`, which must outlive it. Functions or member pointers make the cells.
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

  /// Adds the column if any cell has a text or figure; otherwise adds `reason` to absences().
  template <class ValueOf>
  void add_known(Column column, ValueOf make_value, const std::string& reason = "") {
    const auto has_content = [&](const Row& row) {
      const std::string text = to_cell(std::invoke(make_value, row)).text;
      return !text.empty() && text != "-";
    };
    if (any(has_content))
      add(std::move(column), make_value);
    else if (!reason.empty())
      absences_[reason].push_back(column.heading);
  }

  /// Adds three columns for other programs: value, lower and upper end of the interval, empty if missing.
  template <class EstimateOf>
  void add_estimate(const std::array<std::string, 3>& headings, EstimateOf make_estimate) {
    for (const std::string& heading : headings) columns_.push_back({heading});
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Measured<Estimate> estimate = make_estimate(rows_[i]);
      const Measured<Interval> interval = estimate.then(&Estimate::interval);
      for (const Measured<double>& value :
           {estimate.then(&Estimate::value), interval.then(&Interval::low), interval.then(&Interval::high)})
        cells_[i].push_back(value_cell(value));
    }
  }

  template <class Is>
  bool any(Is is) const {
    return std::ranges::any_of(rows_, is);
  }

  /// Returns one line per reason for omitted columns: "no MFU, limited by: not measured".
  std::vector<std::string> absences() const {
    return mapped(absences_,
                  [](const auto& entry) { return "no " + join(entry.second) + ": " + entry.first; });
  }

  /// Moves the table out.
  Table take(std::string title = "", std::vector<std::string> notes = {}) {
    return {std::move(title), std::move(columns_), std::move(cells_), std::move(notes)};
  }

 private:
  const std::vector<Row>& rows_;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> cells_;
  std::map<std::string, std::vector<std::string>> absences_;
};

/// Returns the column of a field, in a unit that suits the smallest value, and the factor from the field's
/// unit to it: seconds may become ms or µs.
std::pair<Column, double> make_column(const FieldFacts& field, const std::vector<FieldValue>& values);

/// Returns the cell of a value in the unit of the column.
Cell field_cell(const FieldValue& value, const FieldFacts& field, double factor);

/// Returns a cell for other programs: in base units, empty if the value is missing.
Cell data_cell(const FieldValue& value);

/// Returns the reason for a missing value; empty for a present one.
std::string why_absent(const FieldValue& value);

/// Removes text columns equal in all rows, except the first and `kept`; returns each as "device cpu".
std::vector<std::string> take_constants(Table& table, std::string_view kept = "status");

/// Inserts a first column with one text per row.
void insert_column(Table& table, const std::string& heading, const std::vector<std::string>& texts);

/// Replaces the constant columns of a table of several rows by a note; see take_constants().
Table folded(Table table);

template <class Record>
bool has_repeats(const std::vector<Record>& rows) {
  return std::ranges::any_of(rows, [](const Record& row) { return row.repeat > 1; });
}

/// Returns whether a table shows a field with these values; `usual` is the value in an empty record.
bool is_shown(const FieldFacts& field, const FieldValue& usual, const std::vector<FieldValue>& values);

/// Makes a table with a column per shown field. `get_value(field, row)` returns a value, and
/// `make_cell(field, row, factor)` its cell, see make_column(). Notes list fields without any value, with the
/// reason of the row `typical`.
template <class Fields, class Row, class ValueOf, class CellOf>
Table fields_table(const Fields& fields, const std::vector<Row>& rows, const Row& typical, ValueOf get_value,
                   CellOf make_cell) {
  Columns<Row> columns(rows);
  for (const auto& field : fields) {
    const auto values = mapped(rows, [&](const Row& row) { return get_value(field, row); });
    if (!is_shown(field, field.get({}), values)) continue;
    const auto [column, factor] = make_column(field, values);
    columns.add_known(
        column, [&, scale = factor](const Row& row) { return make_cell(field, row, scale); },
        why_absent(get_value(field, typical)));
  }
  return columns.take("", columns.absences());
}

/// Makes a row per record. Notes list fields without any value, with the first reason.
template <class Record, class Fields>
Table record_table(const Fields& fields, const std::vector<Record>& records) {
  if (records.empty()) return {};
  const auto get_value = [](const auto& field, const Record& record) { return field.get(record); };
  return fields_table(fields, records, records.front(), get_value,
                      [](const auto& field, const Record& record, double factor) {
                        return field_cell(field.get(record), field, factor);
                      });
}

/// Makes a table for other programs: a row per record, a column per single-valued field, keys as headings.
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
