#include "formats/parts/html_table.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formats/parts/markup.h"

namespace gpubench {
namespace {

// More columns than that are printed across the longer side of the paper.
constexpr std::size_t kManyColumns = 9;
// More than that fit on paper only where words may break.
constexpr std::size_t kCrowdedColumns = 15;

/// Notes of cells, each once, in the order of their first cell.
class CellNotes {
 public:
  explicit CellNotes(std::string id) : id_(std::move(id)) {}

  std::string reference(const std::string& note) {
    if (note.empty()) return "";
    auto found = std::find(notes_.begin(), notes_.end(), note);
    if (found == notes_.end()) found = notes_.insert(notes_.end(), note);
    const auto number = found - notes_.begin() + 1;
    return fmt::format("<sup><a href=\"#{0}-note-{1}\" aria-label=\"note {1}\">{1}</a></sup>", id_, number);
  }

  std::string list() const {
    if (notes_.empty()) return "";
    std::string items;
    for (std::size_t i = 0; i < notes_.size(); ++i) {
      items += fmt::format("<li id=\"{}-note-{}\">{}</li>\n", id_, i + 1, escaped(notes_[i]));
    }
    return "<ol class=\"notes\">\n" + items + "</ol>\n";
  }

 private:
  std::string id_;
  std::vector<std::string> notes_;
};

std::string heading(const Column& column) {
  const std::string unit =
      column.unit.empty() ? "" : fmt::format(" <span class=\"unit\">[{}]</span>", escaped(column.unit));
  return fmt::format("<th scope=\"col\"{}>{}{}</th>\n", column.is_number ? " class=\"number\"" : "",
                     escaped(column.heading), unit);
}

std::string head(const Table& table) {
  std::string cells;
  for (const Column& column : table.columns) cells += heading(column);
  return "<thead>\n<tr>\n" + cells + "</tr>\n</thead>\n";
}

std::string toned(const Cell& cell) {
  if (cell.tone == Tone::kPlain) return escaped(cell.text);
  return fmt::format("<span class=\"{}\">{}</span>", tone_class(cell.tone), escaped(cell.text));
}

std::string attributes(const Cell& cell, const Column& column) {
  std::string text;
  if (column.is_number) text += " class=\"number\"";
  if (cell.value && std::isfinite(*cell.value)) text += fmt::format(" data-value=\"{}\"", *cell.value);
  if (!cell.note.empty()) text += fmt::format(" title=\"{}\"", escaped(cell.note));
  return text;
}

std::string row(const Table& table, const std::vector<Cell>& cells, CellNotes& notes) {
  std::string text = "<tr>";
  for (std::size_t i = 0; i < std::min(cells.size(), table.columns.size()); ++i) {
    const Column& column = table.columns[i];
    const bool is_name = i == 0 && !column.is_number;
    text += fmt::format("<{0}{1}{2}>{3}{4}</{0}>", is_name ? "th" : "td", is_name ? " scope=\"row\"" : "",
                        attributes(cells[i], column), toned(cells[i]), notes.reference(cells[i].note));
  }
  return text + "</tr>\n";
}

const char* width_class(const Table& table) {
  if (table.columns.size() > kCrowdedColumns) return " many crowded";
  return table.columns.size() > kManyColumns ? " many" : "";
}

std::string table_notes(const Table& table) {
  if (table.notes.empty()) return "";
  std::string items;
  for (const std::string& note : table.notes) items += "<li>" + escaped(note) + "</li>\n";
  return "<ul class=\"notes\">\n" + items + "</ul>\n";
}

}  // namespace

std::string html_table(const Table& table, const std::string& id) {
  CellNotes notes(id);
  std::string rows;
  for (const auto& cells : table.rows) rows += row(table, cells, notes);
  return fmt::format(
      "<div class=\"table{0}\">\n"
      "<p class=\"hint\" aria-hidden=\"true\">More columns: scroll sideways &#8594;</p>\n"
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"{1}\">\n"
      "<table>\n<caption id=\"{1}\"><span>{2}</span></caption>\n{3}<tbody>\n{4}</tbody>\n</table>\n"
      "</div>\n{5}{6}</div>\n",
      width_class(table), id, escaped(table.title), head(table), rows, notes.list(), table_notes(table));
}

std::string tone_class(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      return "plain";
    case Tone::kGood:
      return "good";
    case Tone::kWarning:
      return "warning";
    case Tone::kBad:
      return "bad";
    case Tone::kMuted:
      return "muted";
  }
  return "plain";
}

std::string tone_sign(Tone tone) {
  if (tone == Tone::kGood) return "✓";
  if (tone == Tone::kWarning) return "!";
  return tone == Tone::kBad ? "✗" : "";
}

std::string tone_word(Tone tone) {
  if (tone == Tone::kGood) return "good";
  if (tone == Tone::kWarning) return "caution";
  return tone == Tone::kBad ? "bad" : "";
}

}  // namespace gpubench
