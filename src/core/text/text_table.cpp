#include "gpubench/core/text/text_table.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "gpubench/core/text/utf8.h"

namespace gpubench {

TextTable::TextTable(std::vector<Heading> headings) {
  for (Heading& heading : headings) add_column(std::move(heading.text), heading.align);
}

void TextTable::add_column(std::string heading, Align align) {
  columns_.push_back({display_width(heading), align});
  rows_.front().push_back(std::move(heading));
}

void TextTable::add_row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) throw std::invalid_argument("a row needs one cell a column");
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
