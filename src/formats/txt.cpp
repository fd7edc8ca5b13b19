// Plain text for a terminal, without escape codes, so that it can be piped, mailed and compared by line.

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "formats/chart/chart.h"
#include "formats/parts/page_text.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/text/utf8.h"
#include "gpubench/record/page.h"
#include "gpubench/report_writer.h"

namespace gpubench::txt_plugin {
namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kWidth = 80;
constexpr std::size_t kLeastWidth = 32;  // Narrower columns of text are hard to read.

/// Returns the texts of cells with the marks of their notes. Columns of numbers reserve space for the marks.
std::vector<Texts> make_texts(const Table& table) {
  const CellNotes notes(table);
  std::vector<Texts> rows(table.rows.size());
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    std::size_t widest = 0;
    for (const auto& row : table.rows) widest = std::max(widest, notes.mark(row[column]).size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const Cell& cell = table.rows[row][column];
      std::string mark = notes.mark(cell);
      if (!mark.empty() && !cell.text.empty()) mark.insert(0, " ");
      if (widest > 0 && table.columns[column].is_number) mark.append(widest + 1 - mark.size(), ' ');
      rows[row].push_back(plain_text(cell.text) + mark);
    }
  }
  return rows;
}

std::vector<std::size_t> compute_widths(const Texts& headings, const std::vector<Texts>& rows) {
  std::vector<std::size_t> widths = mapped(headings, display_width);
  for (const Texts& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  return widths;
}

std::size_t compute_sum(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), 2 * widths.size()) - 2;
}

/// Returns the position and new width of the column to wrap; width 0 if the table fits or cannot be narrowed.
std::pair<std::size_t, std::size_t> column_to_wrap(const Table& table,
                                                   const std::vector<std::size_t>& widths) {
  std::size_t widest = widths.size();
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const bool is_wider = widest == widths.size() || widths[i] > widths[widest];
    if (!table.columns[i].is_number && is_wider) widest = i;
  }
  const std::size_t whole = compute_sum(widths);
  if (whole <= kWidth || widest == widths.size() || widths[widest] <= kLeastWidth) return {0, 0};
  const std::size_t others = whole - widths[widest];
  return {widest, kWidth > kLeastWidth + others ? kWidth - others : kLeastWidth};
}

/// Adds a row, and further rows with the rest of the wrapped cell.
void add_row(TextTable& text, Texts row, std::size_t column, std::size_t width) {
  if (width == 0) return text.add_row(std::move(row));
  for (const std::string& line : wrapped(row[column], width)) {
    row[column] = line;
    text.add_row(std::exchange(row, Texts(row.size())));
  }
}

/// The cells of a table as text. Units are in the headings, or below them if the table is too wide.
struct Grid {
  Texts headings;
  std::vector<Texts> rows;
  std::vector<std::size_t> widths;
};

Grid make_grid(const Table& table) {
  Grid grid;
  grid.rows = make_texts(table);
  grid.headings = mapped(table.columns, [](const Column& column) {
    return axis_text({column.heading, column.unit});
  });
  grid.widths = compute_widths(grid.headings, grid.rows);
  if (compute_sum(grid.widths) <= kWidth) return grid;
  grid.headings = mapped(table.columns, [](const Column& column) { return plain_text(column.heading); });
  Texts units = mapped(table.columns, [](const Column& column) { return axis_text({"", column.unit}); });
  if (!join(units, "").empty()) grid.rows.insert(grid.rows.begin(), std::move(units));
  grid.widths = compute_widths(grid.headings, grid.rows);
  return grid;
}

/// Removes detail columns, the last first, until the table fits a line.
Table narrowed(Table table) {
  while (compute_sum(make_grid(table).widths) > kWidth) {
    const auto last = std::find_if(table.columns.rbegin(), table.columns.rend(),
                                   [](const Column& column) { return column.is_detail; });
    if (last == table.columns.rend()) break;
    const auto position = table.columns.rend() - last - 1;
    table.columns.erase(table.columns.begin() + position);
    for (auto& row : table.rows) row.erase(row.begin() + position);
  }
  return table;
}

/// Returns the headings and rows. Wraps the widest text column if the table is wider than a line.
std::string table_text(const Table& table) {
  Grid grid = make_grid(table);
  const auto [column, column_width] = column_to_wrap(table, grid.widths);
  TextTable text;
  for (std::size_t i = 0; i < grid.headings.size(); ++i)
    text.add_column(grid.headings[i], table.columns[i].is_number ? Align::kRight : Align::kLeft);
  for (Texts& row : grid.rows) add_row(text, std::move(row), column, column_width);
  return text.to_string();
}

/// Returns `lead` and `text`, with later lines indented by the width of `lead`.
std::string hanging(const std::string& lead, const std::string& text) {
  const std::size_t indent = display_width(lead);
  return lead + join(wrapped(text, kWidth - indent), "\n" + std::string(indent, ' ')) + "\n";
}

std::string underlined(const std::string& title, char line) {
  const std::string text = clipped(title, kWidth);
  return text + "\n" + std::string(display_width(text), line) + "\n";
}

std::string block_text(const Paragraph& paragraph) { return hanging("", paragraph.text); }

std::string block_text(const Table& table) {
  std::string text = table.title.empty() ? "" : clipped(table.title, kWidth) + "\n";
  text += table_text(table);
  const CellNotes notes(table);
  for (std::size_t i = 0; i < notes.notes().size(); ++i)
    text += hanging("[" + std::to_string(i + 1) + "] ", notes.notes()[i]);
  for (const std::string& note : table.notes) text += hanging("- ", note);
  return text;
}

std::string block_text(const Chart& chart) {
  std::string text = chart.title.empty() ? "" : clipped(chart.title, kWidth) + "\n";
  text += draw_text_chart(chart, kWidth);
  for (const std::string& note : chart.notes) text += hanging("- ", note);
  return text;
}

std::string section_text(const Section& section, bool shows_details) {
  std::string text = section.title.empty() ? "" : "\n" + underlined(section.title, '-');
  for (const Block& block : section.blocks) {
    const Table* table = std::get_if<Table>(&block);
    const bool is_narrowed = table != nullptr && !shows_details;
    text += "\n" + (is_narrowed ? block_text(narrowed(*table))
                                : std::visit([](const auto& content) { return block_text(content); }, block));
  }
  return text;
}

/// Separates paragraphs of several lines by empty lines.
std::string summary_text(const std::vector<Paragraph>& summary) {
  std::string text;
  bool is_apart = true;
  for (const Paragraph& paragraph : summary) {
    const std::string lines = block_text(paragraph);
    const bool is_long = std::ranges::count(lines, '\n') > 1;
    text += (is_apart || is_long ? "\n" : "") + lines;
    is_apart = is_long;
  }
  return text;
}

std::string render(const Page& page) {
  std::vector<Section> sections = page.sections;
  if (!page.shows_details) std::erase_if(sections, [](const Section& one) { return one.is_detail; });
  std::string text = (page.title.empty() ? "" : underlined(page.title, '=')) + summary_text(page.summary);
  for (const Section& section : text_sections(sections)) text += section_text(section, page.shows_details);
  if (page.title.empty()) text.erase(0, 1);
  return text.empty() ? "\n" : text;
}

}  // namespace

ReportFormat entry_txt() { return {"txt", "text for a terminal", render}; }

}  // namespace gpubench::txt_plugin
