// For a terminal: nothing but text, so that it can be piped, mailed and compared line by line.

#include "formats/chart/chart_text.h"
#include "formats/entries.h"
#include "formats/parts/cell_notes.h"
#include "formats/parts/plain_text.h"
#include "formats/parts/table_text.h"
#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

constexpr std::size_t kWidth = 100;

/// `text` behind `lead`, later lines indented as far as it reaches.
std::string hanging(const std::string& lead, const std::string& text) {
  const std::size_t indent = width_of(lead);
  return lead + join(wrapped(text, kWidth - indent), "\n" + std::string(indent, ' ')) + "\n";
}

std::string underlined(const std::string& title, char line) {
  const std::string text = clipped(title, kWidth);
  return text + "\n" + std::string(width_of(text), line) + "\n";
}

std::string title_line(const std::string& title) {
  return title.empty() ? "" : clipped(title, kWidth) + "\n";
}

std::string listed(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += hanging("- ", note);
  return text;
}

std::string block_text(const Paragraph& paragraph) { return hanging("", paragraph.text); }

std::string block_text(const Table& table) {
  std::string text = title_line(table.title) + table_text(table, kWidth);
  const CellNotes notes(table);
  for (std::size_t i = 0; i < notes.notes().size(); ++i)
    text += hanging("[" + std::to_string(i + 1) + "] ", notes.notes()[i]);
  return text + listed(table.notes);
}

std::string block_text(const Chart& chart) {
  return title_line(chart.title) + join(chart_text(chart), "\n") + "\n" + listed(chart.notes);
}

std::string section_text(const Section& section) {
  std::string text = "\n" + underlined(section.title, '-');
  for (const Block& block : section.blocks) {
    text += "\n" + std::visit([](const auto& content) { return block_text(content); }, block);
  }
  return text;
}

std::string render(const Page& page) {
  std::string text = underlined(page.title, '=');
  for (const Paragraph& paragraph : page.summary) text += "\n" + block_text(paragraph);
  for (const Section& section : page.sections) text += section_text(section);
  return text;
}

}  // namespace

ReportFormat entry_txt() { return {"txt", "text for a terminal, with bars", render}; }

}  // namespace gpubench
