// Plain text for a terminal, without escape codes, so that it can be piped, mailed and compared by line.

#include <algorithm>
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

constexpr std::size_t kWidestProse = 100;  // Longer lines of prose are hard to read.

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

TextTable make_grid(const Table& table, const Texts& headings, const Texts& units) {
  TextTable grid;
  for (std::size_t i = 0; i < headings.size(); ++i)
    grid.add_column(headings[i], table.columns[i].is_number ? Align::kRight : Align::kLeft);
  if (!join(units, "").empty()) grid.add_row(units);
  for (Texts& row : make_texts(table)) grid.add_row(std::move(row));
  return grid;
}

/// Returns the cells as text. Units are in the headings, or below them if the table is too wide.
TextTable make_grid(const Table& table, std::size_t width) {
  const auto headings = [&](bool has_heading, bool has_unit) {
    return mapped(table.columns, [=](const Column& column) {
      return axis_text({has_heading ? column.heading : "", has_unit ? column.unit : ""});
    });
  };
  TextTable grid = make_grid(table, headings(true, true), {});
  return grid.width() <= width ? grid : make_grid(table, headings(true, false), headings(false, true));
}

class TextPage {
 public:
  explicit TextPage(const Page& page) : page_(page), prose_(std::min(page.width, kWidestProse)) {}

  std::string to_string() const {
    std::vector<Section> sections = page_.sections;
    if (!page_.shows_details) std::erase_if(sections, [](const Section& one) { return one.is_detail; });
    std::string text = (page_.title.empty() ? "" : underlined(page_.title, '=')) + summary_text();
    for (const Section& section : text_sections(sections)) text += section_text(section);
    if (page_.title.empty()) text.erase(0, 1);
    return text.empty() ? "\n" : text;
  }

 private:
  /// Removes detail columns, the last first, until the table fits a line. A note names them.
  Table narrowed(Table table) const {
    Texts dropped;
    while (make_grid(table, page_.width).width() > page_.width) {
      const auto last = std::find_if(table.columns.rbegin(), table.columns.rend(),
                                     [](const Column& column) { return column.is_detail; });
      if (last == table.columns.rend()) break;
      dropped.insert(dropped.begin(), last->heading);
      const auto position = table.columns.rend() - last - 1;
      table.columns.erase(table.columns.begin() + position);
      for (auto& row : table.rows) row.erase(row.begin() + position);
    }
    const std::string& option = page_.details_option;
    if (!dropped.empty())
      table.notes.push_back("Not shown: " + join(dropped) + "; use " +
                            (option.empty() ? "" : option + " or ") + "a wider terminal");
    return table;
  }

  /// Returns `lead` and `text`, with later lines indented by the width of `lead`.
  std::string hanging(const std::string& lead, const std::string& text) const {
    const std::size_t indent = display_width(lead);
    return lead + join(wrapped(text, prose_ - indent), "\n" + std::string(indent, ' ')) + "\n";
  }

  std::string notes_text(const Texts& notes) const {
    std::string text;
    for (const std::string& note : notes) text += hanging("- ", note);
    return page_.shows_notes ? text : "";
  }

  std::string title_line(const std::string& title) const {
    return title.empty() ? "" : clipped(title, prose_) + "\n";
  }

  std::string underlined(const std::string& title, char line) const {
    const std::string text = clipped(title, prose_);
    return text + "\n" + std::string(display_width(text), line) + "\n";
  }

  std::string block_text(const Paragraph& paragraph) const { return hanging("", paragraph.text); }

  std::string block_text(const Table& whole) const {
    const Table table = page_.shows_details ? whole : narrowed(whole);
    std::string text = title_line(table.title) + make_grid(table, page_.width).to_string(page_.width);
    const CellNotes notes(table);
    for (std::size_t i = 0; i < notes.notes().size(); ++i)
      text += hanging("[" + std::to_string(i + 1) + "] ", notes.notes()[i]);
    return text + notes_text(table.notes);
  }

  std::string block_text(const Chart& chart) const {
    return title_line(chart.title) + draw_text_chart(chart, prose_) + notes_text(chart.notes);
  }

  std::string section_text(const Section& section) const {
    std::string text = section.title.empty() ? "" : "\n" + underlined(section.title, '-');
    for (const Block& block : section.blocks)
      text += "\n" + std::visit([this](const auto& content) { return block_text(content); }, block);
    return text;
  }

  /// Separates paragraphs of several lines by empty lines.
  std::string summary_text() const {
    std::string text;
    bool is_apart = true;
    for (const Paragraph& paragraph : page_.summary) {
      const std::string lines = block_text(paragraph);
      const bool is_long = std::ranges::count(lines, '\n') > 1;
      text += (is_apart || is_long ? "\n" : "") + lines;
      is_apart = is_long;
    }
    return text;
  }

  const Page& page_;
  std::size_t prose_;  // Maximum width of prose and charts.
};

std::string render(const Page& page) { return TextPage(page).to_string(); }

}  // namespace

ReportFormat entry_txt() { return {"txt", "text for a terminal", render}; }

}  // namespace gpubench::txt_plugin
