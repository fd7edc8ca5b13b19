#include "gpubench/core/text/utf8.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <utf8proc.h>

namespace gpubench {
namespace {

std::size_t count_columns(char32_t code) {
  return static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(code)));
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

TextTable::TextTable(std::vector<Heading> headings) {
  for (Heading& heading : headings) add_column(std::move(heading.text), heading.align);
}

void TextTable::add_column(std::string heading, Align align) {
  columns_.push_back({display_width(heading), align});
  rows_.front().push_back(std::move(heading));
}

void TextTable::add_row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size())
    throw std::invalid_argument("TextTable: a row needs one cell per column");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = plain_text(cells[i]);
    columns_[i].width = std::max(columns_[i].width, display_width(cells[i]));
  }
  rows_.push_back(std::move(cells));
}

std::string TextTable::to_string() const {
  std::string text;
  for (const Row& cells : rows_) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(columns_[i].width - display_width(cells[i]), ' ');
      if (i > 0) line += "  ";
      line += columns_[i].align == Align::kLeft ? cells[i] + padding : padding + cells[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace gpubench
