#include "gpubench/core/text/utf8.h"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <utf8proc.h>

namespace gpubench {
namespace {

std::size_t count_columns(char32_t code) {
  return static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(code)));
}

constexpr std::size_t kGap = 2;         // Between columns.
constexpr std::size_t kNarrowest = 18;  // Narrower columns of text are hard to read.

using Row = std::vector<std::string>;

std::vector<std::size_t> column_widths(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& cells : rows) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], display_width(cells[i]));
  }
  return widths;
}

std::size_t line_width(const std::vector<std::size_t>& widths) {
  const std::size_t gaps = widths.empty() ? 0 : kGap * (widths.size() - 1);
  return std::accumulate(widths.begin(), widths.end(), gaps);
}

/// Adds the cells to `lines`, wrapped to `widths`.
void add_lines(const Row& cells, const std::vector<std::size_t>& widths, std::vector<Row>& lines) {
  const std::size_t first = lines.size();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool fits = display_width(cells[i]) <= widths[i];
    const Row parts = fits ? Row{cells[i]} : wrapped(cells[i], widths[i]);
    lines.resize(std::max(lines.size(), first + parts.size()), Row(cells.size()));
    for (std::size_t part = 0; part < parts.size(); ++part) lines[first + part][i] = parts[part];
  }
}

}  // namespace

Character first_character(std::string_view text) {
  constexpr std::size_t kLongest = 4;
  const std::string_view start = text.substr(0, kLongest);
  utf8proc_int32_t code = 0;
  const utf8proc_ssize_t length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(start.data()),
                                                   static_cast<utf8proc_ssize_t>(start.size()), &code);
  if (length <= 0) return {kReplacementCharacter, 1};
  return {static_cast<char32_t>(code), static_cast<std::size_t>(length)};
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const auto [code, length] = first_character(text);
    width += count_columns(code);
    text.remove_prefix(length);
  }
  return width;
}

std::string_view fitting(std::string_view text, std::size_t width) {
  std::size_t end = 0;
  while (end < text.size()) {
    const auto [code, length] = first_character(text.substr(end));
    if (count_columns(code) > width) break;
    width -= count_columns(code);
    end += length;
  }
  return text.substr(0, end);
}

bool is_control_character(char32_t code) {
  const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
  const bool is_direction = code == 0x061c || (code >= 0x200e && code <= 0x200f) ||
                            (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return is_control || is_direction;
}

std::string plain_text(std::string_view text) {
  constexpr std::string_view kSpaces = "\n\r\t";
  std::string plain;
  while (!text.empty()) {
    const Character character = first_character(text);
    if (kSpaces.find(text.front()) != std::string_view::npos) {
      plain += ' ';
    } else if (!is_valid(character) || is_control_character(character.code)) {
      plain += '?';
    } else {
      plain += text.substr(0, character.length);
    }
    text.remove_prefix(character.length);
  }
  return plain;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::istringstream words(plain_text(text));
  std::vector<std::string> lines(1);
  std::string unit;
  for (std::string word; words >> word; word.clear()) {
    // Keeps a number and its unit on one line. A number before a full stop or comma has no unit.
    while (word.find_first_not_of("(±0123456789.,") == std::string::npos && !word.ends_with(',') &&
           !word.ends_with('.') && words >> unit)
      word += " " + unit;
    // Keeps a quoted command on one line, so that it can be copied.
    const bool is_command = word == "'gpubench";
    while (is_command && word.find('\'', 1) == std::string::npos && words >> unit) word += " " + unit;
    const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
    if (lines.back().empty() || display_width(longer) <= width)
      lines.back() = longer;
    else
      lines.push_back(word);
  }
  return lines;
}

TextTable::TextTable(std::vector<Heading> headings) {
  for (Heading& heading : headings) add_column(std::move(heading.text), heading.align);
}

void TextTable::add_column(std::string heading, Align align) {
  columns_.push_back(align);
  rows_.front().push_back(std::move(heading));
}

void TextTable::add_row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size())
    throw std::invalid_argument("TextTable: a row needs one cell per column");
  std::ranges::transform(cells, cells.begin(), plain_text);
  rows_.push_back(std::move(cells));
}

std::size_t TextTable::width() const { return line_width(column_widths(rows_)); }

std::string TextTable::to_string(std::size_t width) const {
  const std::vector<std::size_t> limits = fitted_widths(width);
  std::vector<Row> lines;
  for (const Row& cells : rows_) add_lines(cells, limits, lines);
  const std::vector<std::size_t> widths = column_widths(lines);
  std::string text;
  for (const Row& cells : lines) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widths[i] - display_width(cells[i]), ' ');
      if (i > 0) line += std::string(kGap, ' ');
      line += columns_[i] == Align::kLeft ? cells[i] + padding : padding + cells[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

/// Returns the width of the longest part that cannot be wrapped.
std::size_t TextTable::least_width(std::size_t column) const {
  const bool is_text = columns_[column] == Align::kLeft;
  std::size_t least = is_text ? kNarrowest : 0;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const std::string& cell = rows_[row][column];
    for (const std::string& part : row == 0 || is_text ? wrapped(cell, 0) : Row{cell})
      least = std::max(least, display_width(part));
  }
  return least;
}

std::vector<std::size_t> TextTable::fitted_widths(std::size_t width) const {
  std::vector<std::size_t> widths = column_widths(rows_);
  std::size_t whole = line_width(widths);
  if (whole <= width) return widths;
  std::vector<std::size_t> least;
  for (std::size_t i = 0; i < widths.size(); ++i) least.push_back(least_width(i));
  for (; whole > width; --whole) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool is_wider = widest == nullptr || widths[i] > *widest;
      if (widths[i] > least[i] && is_wider) widest = &widths[i];
    }
    if (widest == nullptr) break;
    --*widest;
  }
  return widths;
}

}  // namespace gpubench
