// Markdown for GitHub.

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "formats/chart/chart.h"
#include "formats/parts/page_text.h"
#include "gpubench/core/collect.h"
#include "gpubench/report_writer.h"

namespace gpubench::md_plugin {
namespace {

/// Escapes `text`, so that no part of it becomes markup, HTML or a link.
std::string markdown(const std::string& text) {
  std::string safe;
  for (const char c : plain_text(text)) {
    const bool starts_address = c == '/' && safe.ends_with(":");
    const bool ends_www = c == '.' && (safe.ends_with("www") || safe.ends_with("WWW"));
    const bool is_markup = std::string_view("\\`*_{}[]<>#|~$&").find(c) != std::string_view::npos;
    if (is_markup || starts_address || ends_www) safe += '\\';
    safe += c;
  }
  return safe;
}

/// Escapes a line: also a dash, a plus sign or a numbered item at its start, which would begin a list.
std::string format_line(const std::string& text) {
  std::string line = markdown(text);
  line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  const auto number_end = std::find_if_not(line.begin(), line.end(), is_digit);
  if (number_end == line.end()) return line;
  const std::string_view signs = number_end == line.begin() ? "-+=" : ".)";
  if (signs.find(*number_end) != std::string_view::npos) line.insert(number_end, '\\');
  return line;
}

std::string heading(const std::string& marks, const std::string& text) {
  return text.empty() ? "" : marks + " " + markdown(text) + "\n\n";
}

std::string block_text(const Paragraph& paragraph) {
  const bool is_alarming = paragraph.tone == Tone::kWarning || paragraph.tone == Tone::kBad;
  return (is_alarming ? "> " : "") + format_line(paragraph.text) + "\n\n";
}

std::string block_text(const Table& table) {
  const CellNotes notes(table);
  std::string names = "|";
  std::string rule = "|";
  for (const Column& column : table.columns) {
    names += " " + markdown(axis_text({column.heading, column.unit})) + " |";
    rule += column.is_number ? " ---: |" : " --- |";
  }
  std::string text = heading("###", table.title) + names + "\n" + rule + "\n";
  for (const auto& row : table.rows) {
    text += "|";
    for (const Cell& cell : row) {
      const std::string mark = notes.mark(cell);
      text += fmt::format(" {}{}{} |", markdown(cell.text), mark.empty() ? "" : " ", markdown(mark));
    }
    text += "\n";
  }
  std::vector<std::string> lines;
  for (const std::string& note : notes.notes())
    lines.push_back(fmt::format("\\[{}\\] {}", lines.size() + 1, markdown(note)));
  append(lines, mapped(table.notes, format_line));
  return text + "\n" + (lines.empty() ? "" : "- " + join(lines, "\n- ") + "\n\n");
}

std::string block_text(const Chart& chart) {
  constexpr std::size_t kChartColumns = 80;
  return heading("###", chart.title) + "```text\n" + draw_text_chart(chart, kChartColumns) + "```\n\n";
}

std::string render(const Page& page) {
  std::string text = heading("#", page.title);
  for (const Paragraph& paragraph : page.summary) text += block_text(paragraph);
  bool is_in_details = false;
  for (const Section& section : text_sections(page.sections)) {
    if (section.is_detail && !is_in_details) text += heading("#", "Details");
    is_in_details = section.is_detail;
    text += heading("##", section.title);
    for (const Block& block : section.blocks)
      text += std::visit([](const auto& content) { return block_text(content); }, block);
  }
  // Keep only one newline at the end.
  if (text.ends_with("\n\n")) text.pop_back();
  return text.empty() ? "\n" : text;
}

}  // namespace

ReportFormat entry_md() { return {"md", "Markdown for GitHub", render}; }

}  // namespace gpubench::md_plugin
