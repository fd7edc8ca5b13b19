#include "formats/parts/table_text.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "formats/parts/cell_notes.h"
#include "formats/parts/figure_text.h"
#include "formats/parts/plain_text.h"
#include "gpubench/core/text/text_table.h"

namespace gpubench {
namespace {

using Texts = std::vector<std::string>;

/// Narrower, a column of text is hard to read.
constexpr std::size_t kLeastWidth = 32;

std::string heading_of(const Column& column) { return axis_text({column.heading, column.unit}); }

Texts texts_of(const std::vector<Cell>& row, const CellNotes& notes) {
  Texts texts;
  for (const Cell& cell : row) {
    const std::string mark = notes.mark(cell);
    const std::string text = plain_text(cell.text);
    texts.push_back(mark.empty() || text.empty() ? text + mark : text + " " + mark);
  }
  return texts;
}

/// In a column with marks the other figures keep their place for one, so that digits stand below each other.
void align_marked(const Table& table, const CellNotes& notes, std::vector<Texts>& rows, std::size_t column) {
  const auto mark_width = [&](std::size_t row) {
    const std::size_t width = notes.mark(table.rows[row][column]).size();
    return width == 0 ? 0 : width + 1;
  };
  std::size_t widest = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) widest = std::max(widest, mark_width(row));
  for (std::size_t row = 0; row < rows.size(); ++row) rows[row][column].append(widest - mark_width(row), ' ');
}

using HeadingOf = std::string (*)(const Column&);

std::string heading_of_narrow(const Column& column) { return plain_text(column.heading); }

std::vector<std::size_t> widths_of(const Table& table, const std::vector<Texts>& rows, HeadingOf heading) {
  std::vector<std::size_t> widths;
  for (const Column& column : table.columns) widths.push_back(width_of(heading(column)));
  for (const Texts& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  return widths;
}

std::size_t sum_of(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), 2 * widths.size()) - 2;
}

/// The position and the new width of the column to wrap; a width of 0 where none need be. Names of a word or
/// two stay as they are: a row of several lines is harder to read than one that is too long.
std::pair<std::size_t, std::size_t> column_to_wrap(const Table& table, const std::vector<std::size_t>& widths,
                                                   std::size_t width) {
  std::size_t widest = widths.size();
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const bool is_wider = widest == widths.size() || widths[i] > widths[widest];
    if (!table.columns[i].is_number && is_wider) widest = i;
  }
  const std::size_t whole = sum_of(widths);
  if (whole <= width || widest == widths.size() || widths[widest] <= kLeastWidth) return {0, 0};
  const std::size_t others = whole - widths[widest];
  return {widest, std::max(kLeastWidth, width > others ? width - others : 0)};
}

/// One row, and below it rows that hold the rest of the wrapped cell alone.
void add_row(TextTable& text, Texts row, std::size_t column, std::size_t width) {
  if (width == 0) return text.add_row(std::move(row));
  const Texts lines = wrapped(row[column], width);
  row[column] = lines.front();
  const std::size_t columns = row.size();
  text.add_row(std::move(row));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    Texts rest(columns);
    rest[column] = lines[i];
    text.add_row(std::move(rest));
  }
}

/// A heading is often the widest text of its column: where space is scarce its unit goes below it.
TextTable empty_table(const Table& table, bool is_narrow) {
  TextTable text;
  Texts units;
  for (const Column& column : table.columns) {
    text.add_column(is_narrow ? heading_of_narrow(column) : heading_of(column),
                    column.is_number ? Align::kRight : Align::kLeft);
    units.push_back(axis_text({"", column.unit}));
  }
  const bool has_units = std::any_of(units.begin(), units.end(), [](const auto& u) { return !u.empty(); });
  if (is_narrow && has_units) text.add_row(std::move(units));
  return text;
}

}  // namespace

std::string table_text(const Table& table, std::size_t width) {
  const CellNotes notes(table);
  std::vector<Texts> rows;
  for (const auto& row : table.rows) rows.push_back(texts_of(row, notes));
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].is_number) align_marked(table, notes, rows, i);
  }
  const bool is_narrow = sum_of(widths_of(table, rows, heading_of)) > width;
  const auto widths = widths_of(table, rows, is_narrow ? heading_of_narrow : heading_of);
  const auto [column, column_width] = column_to_wrap(table, widths, width);
  TextTable text = empty_table(table, is_narrow);
  for (Texts& row : rows) add_row(text, std::move(row), column, column_width);
  return text.to_string();
}

}  // namespace gpubench
