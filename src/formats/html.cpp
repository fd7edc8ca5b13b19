// A self-contained page for a browser. It loads no other file, and its policy allows only page.js to run.

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "formats/chart/chart.h"
#include "formats/parts/page_text.h"
#include "gpubench/record/page.h"
#include "gpubench/report_writer.h"

namespace gpubench::html_plugin {
namespace {

constexpr std::size_t kManyColumns = 9;  // Wider tables are printed in landscape format.

/// CSS class of a tone, with a symbol and a word for readers who do not see colours.
struct ToneLook {
  const char* name;
  const char* sign;
  const char* word;
};

constexpr std::array<ToneLook, 5> kLooks = {{{"plain", "", ""},
                                             {"good", "✓", "certain"},
                                             {"warning", "!", "caution"},
                                             {"bad", "✗", "bad"},
                                             {"muted", "", ""}}};

const ToneLook& find_look(Tone tone) { return kLooks.at(static_cast<std::size_t>(tone)); }

std::string paragraph(const Paragraph& paragraph) {
  const auto [name, sign, word] = find_look(paragraph.tone);
  const bool has_badge = word[0] != '\0';
  const std::string badge = has_badge ? fmt::format("<span class=\"badge\">{} {}</span>", sign, word) : "";
  const std::string look = paragraph.tone == Tone::kPlain ? "" : fmt::format(" class=\"{}\"", name);
  return fmt::format("<p{}>{}{}</p>\n", look, badge, escaped(paragraph.text));
}

/// Returns the notes of a table or chart as a list, and its cautions as paragraphs. With an `id`, the list is
/// numbered and has ids to refer to.
std::string make_list(const std::vector<std::string>& notes, const std::string& id = "") {
  constexpr std::string_view kCaution = "Caution: ";
  std::string cautions;
  std::string items;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const std::string its_id = id.empty() ? "" : fmt::format(" id=\"{}-note-{}\"", id, i + 1);
    if (id.empty() && notes[i].starts_with(kCaution)) {
      std::string text = notes[i].substr(kCaution.size());
      if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
      cautions += paragraph({text, Tone::kWarning});
    } else {
      items += fmt::format("<li{}>{}</li>\n", its_id, escaped(notes[i]));
    }
  }
  if (items.empty()) return cautions;
  return fmt::format("{1}<{0} class=\"notes\">\n{2}</{0}>\n", id.empty() ? "ul" : "ol", cautions, items);
}

/// Returns the class attribute of the cells of a column. Narrow screens hide details.
std::string column_class(const Column& column) {
  if (column.is_detail) return column.is_number ? " class=\"number detail\"" : " class=\"detail\"";
  return column.is_number ? " class=\"number\"" : "";
}

std::string head(const Table& table) {
  std::string cells;
  for (const Column& column : table.columns) {
    const std::string unit =
        column.unit.empty() ? "" : fmt::format(" <span class=\"unit\">[{}]</span>", escaped(column.unit));
    cells +=
        fmt::format("<th scope=\"col\"{}>{}{}</th>\n", column_class(column), escaped(column.heading), unit);
  }
  return "<thead>\n<tr>\n" + cells + "</tr>\n</thead>\n";
}

/// Returns a cell with its value for sorting, and its note as a tooltip and a reference. The first cell of a
/// row is its heading.
std::string format_cell(const Cell& cell, const Column& column, bool is_first, std::size_t note,
                        const std::string& id) {
  const bool is_name = is_first && !column.is_number;
  std::string start = (is_name ? "<th scope=\"row\"" : "<td") + column_class(column);
  if (cell.value && std::isfinite(*cell.value)) start += fmt::format(" data-value=\"{}\"", *cell.value);
  if (!cell.note.empty()) start += fmt::format(" title=\"{}\"", escaped(cell.note));
  std::string text = escaped(cell.text);
  if (cell.tone != Tone::kPlain)
    text = fmt::format("<span class=\"{}\">{}</span>", find_look(cell.tone).name, text);
  if (note > 0)
    text += fmt::format("<sup><a href=\"#{0}-note-{1}\" aria-label=\"note {1}\">{1}</a></sup>", id, note);
  return start + ">" + text + (is_name ? "</th>" : "</td>");
}

/// Returns a table with numbered notes below it. `id` is unique in the document and begins every id in the
/// table.
std::string html_table(const Table& table, const std::string& id) {
  const CellNotes notes(table);
  std::string rows;
  for (const auto& cells : table.rows) {
    rows += "<tr>";
    for (std::size_t i = 0; i < std::min(cells.size(), table.columns.size()); ++i)
      rows += format_cell(cells[i], table.columns[i], i == 0, notes.number(cells[i]), id);
    rows += "</tr>\n";
  }
  return fmt::format(
      "<div class=\"table{}\">\n"
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"{}\">\n"
      "<table>\n<caption "
      "id=\"{}\"><span>{}</span></caption>\n{}<tbody>\n{}</tbody>\n</table>\n</div>\n{}{}</div>\n",
      table.columns.size() > kManyColumns ? " many" : "", id, id, escaped(table.title), head(table), rows,
      make_list(notes.notes(), id), make_list(table.notes));
}

std::string head(const Page& page) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{}' "
      "'sha256-{}'; "
      "script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n"
      "<style>{}</style>\n<style>{}</style>\n</head>\n",
      chart_css_sha256(), page_css_sha256(), page_js_sha256(), escaped(page.title), chart_css(), page_css());
}

/// Returns a chart in two widths, of which page.css shows the one for the page.
std::string figure(const Chart& chart, const std::string& id) {
  const std::string wide = draw_chart(chart, kWideChart, id + "-wide", " class=\"chart wide\"").content;
  const std::string narrow =
      draw_chart(chart, kNarrowChart, id + "-narrow", " class=\"chart narrow\"").content;
  return fmt::format("<figure>\n<figcaption id=\"{}\">{}</figcaption>\n{}{}{}</figure>\n", id,
                     escaped(chart.title), wide, narrow, make_list(chart.notes));
}

std::string block(const Block& block, const std::string& id) {
  if (const auto* text = std::get_if<Paragraph>(&block)) return paragraph(*text);
  if (const auto* table = std::get_if<Table>(&block)) return html_table(*table, id);
  return figure(std::get<Chart>(block), id);
}

std::string section(const Section& section, std::size_t number) {
  std::string blocks;
  for (std::size_t i = 0; i < section.blocks.size(); ++i) {
    blocks += block(section.blocks[i], fmt::format("s{}-{}", number, i + 1));
  }
  if (section.title.empty()) return "<section>\n" + blocks + "</section>\n";
  const std::string heading = fmt::format("<h2 id=\"s{}\">{}</h2>\n", number, escaped(section.title));
  const std::string content =
      section.is_detail ? "<details>\n<summary>" + heading + "</summary>\n" + blocks + "</details>\n"
                        : heading + blocks;
  return fmt::format("<section aria-labelledby=\"s{}\">\n{}</section>\n", number, content);
}

std::string contents(const Page& page) {
  if (page.sections.size() < 3) return "";
  std::string items;
  for (std::size_t i = 0; i < page.sections.size(); ++i) {
    if (page.sections[i].is_detail || page.sections[i].title.empty()) continue;
    items += fmt::format("<li><a href=\"#s{}\">{}</a></li>\n", i + 1, escaped(page.sections[i].title));
  }
  return "<nav aria-label=\"Sections\">\n<ul>\n" + items + "</ul>\n</nav>\n";
}

std::string render(const Page& page) {
  std::string summary;
  for (const Paragraph& text : page.summary) summary += paragraph(text);
  if (!summary.empty()) summary = "<div class=\"summary\">\n" + summary + "</div>\n";
  std::string sections;
  std::string links = contents(page);
  std::size_t number = 0;
  for (const Section& one : truncate_for_display(page.sections)) {
    // Untitled sections at the start belong to the summary.
    if (!one.title.empty()) sections += std::exchange(links, "");
    sections += section(one, ++number);
  }
  return fmt::format(
      "{}<body>\n<header>\n<h1>{}</h1>\n{}</header>\n<main>\n{}</main>\n"
      "<script>{}</script>\n</body>\n</html>\n",
      head(page), escaped(page.title), summary, sections, page_js());
}

}  // namespace

ReportFormat entry_html() { return {"html", "a self-contained page for a browser", render, true}; }

}  // namespace gpubench::html_plugin
