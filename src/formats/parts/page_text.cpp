#include "formats/parts/page_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

std::string number(std::size_t count) { return with_separators(static_cast<std::int64_t>(count)); }

void shorten(Paragraph& /*paragraph*/) {}

void shorten(Table& table) {
  if (table.rows.size() <= kMostTableRows) return;
  table.notes.push_back(fmt::format("Only the first {} of {} rows are shown.", number(kMostTableRows),
                                    number(table.rows.size())));
  table.rows.resize(kMostTableRows);
}

void shorten(Chart& chart) {
  std::size_t longest = 0;
  for (auto& [name, points] : chart.series) {
    longest = std::max(longest, points.size());
    if (points.size() <= kMostChartPoints) continue;
    const std::size_t stride = (points.size() + kMostChartPoints - 1) / kMostChartPoints;
    // Keeps the last point: readers look for the end of a line.
    std::size_t kept = 0;
    for (std::size_t i = (points.size() - 1) % stride; i < points.size(); i += stride)
      points[kept++] = points[i];
    points.resize(kept);
  }
  if (longest > kMostChartPoints)
    chart.notes.push_back(fmt::format("Lines have up to {} points; at most {}, evenly spaced, are shown.",
                                      number(longest), number(kMostChartPoints)));
}

/// Returns the replacement of a character; empty if it needs none.
std::string_view find_replacement(char32_t code) {
  using Entity = std::pair<char32_t, std::string_view>;
  static constexpr std::array<Entity, 5> kEntities = {
      {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}}};
  const bool is_space = code == '\t' || code == '\n';
  if ((is_control_character(code) && !is_space) || code == 0xfffe || code == 0xffff ||
      code == kReplacementCharacter)
    return "\xef\xbf\xbd";  // U+FFFD.
  const auto known = std::ranges::find(kEntities, code, &Entity::first);
  return known == kEntities.end() ? "" : known->second;
}

}  // namespace

std::vector<Section> truncate_for_display(std::vector<Section> sections) {
  for (Section& section : sections) {
    for (Block& block : section.blocks) std::visit([](auto& content) { shorten(content); }, block);
  }
  return sections;
}

std::vector<Section> text_sections(const std::vector<Section>& all) {
  std::vector<Section> sections = truncate_for_display(all);
  const auto is_picture = [](const Block& block) {
    const auto* const chart = std::get_if<Chart>(&block);
    return chart != nullptr && !chart->is_in_text;
  };
  for (Section& section : sections) std::erase_if(section.blocks, is_picture);
  std::erase_if(sections, [](const Section& section) { return section.blocks.empty(); });
  return sections;
}

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto [code, length] = first_character(text);
    const std::string_view replacement = find_replacement(code);
    result += replacement.empty() ? text.substr(0, length) : replacement;
    text.remove_prefix(length);
  }
  return result;
}

std::string clipped(const std::string& text, std::size_t width) {
  std::string plain = plain_text(text);
  if (display_width(plain) <= width) return plain;
  return std::string(fitting(plain, width - 1)) + "…";
}

std::string axis_text(const Axis& axis) {
  const std::string label = plain_text(axis.label);
  if (axis.unit.empty()) return label;
  return fmt::format("{}{}[{}]", label, label.empty() ? "" : " ", plain_text(axis.unit));
}

std::string delimited(const Table& table, char delimiter, std::string (*quoted)(const std::string&)) {
  std::string text;
  for (const Column& column : table.columns) {
    const std::string unit = column.unit.empty() ? "" : " [" + column.unit + "]";
    text += quoted(column.heading + unit) + delimiter;
  }
  if (!text.empty()) text.back() = '\n';
  for (const auto& row : table.rows) {
    for (const Cell& cell : row) {
      std::string value = cell.value ? fmt::format("{}", *cell.value) : plain_text(cell.text);
      // Spreadsheets evaluate text that begins like a formula.
      if (!cell.value && value.find_first_of("=+-@") == 0 && value != "-") value.insert(0, 1, '\'');
      text += (cell.value ? value : quoted(value)) + delimiter;
    }
    if (!row.empty()) text.back() = '\n';
  }
  return text;
}

}  // namespace gpubench
