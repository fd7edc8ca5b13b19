#pragma once
// Text for a terminal: the width of characters in UTF-8, text of unknown origin made safe, and tables.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpubench {

/// A character's code and its length in bytes.
struct Character {
  char32_t code;
  std::size_t length;
};

constexpr char32_t kReplacementCharacter = 0xfffd;

/// Returns the first character of a text that is not empty: U+FFFD of one byte if that is no valid UTF-8.
Character first_character(std::string_view text);

/// Returns true if first_character() found valid UTF-8: U+FFFD itself takes three bytes.
constexpr bool is_valid(const Character& character) {
  return character.code != kReplacementCharacter || character.length > 1;
}

/// Returns the columns that `text` takes in a terminal; one for a byte that is not UTF-8.
std::size_t display_width(std::string_view text);

/// Returns the longest start of `text`, of whole characters, that fits into `width` columns.
std::string_view fitting(std::string_view text, std::size_t width);

/// Returns true for control characters, ends of lines and paragraphs, and marks of writing direction.
bool is_command(char32_t code);

/// Returns `text` on one line: line ends and tabs become spaces; other commands and invalid bytes become '?'.
std::string plain_text(std::string_view text);

enum class Align { kLeft, kRight };

/// Columns of plain_text() under headings, two spaces apart.
class TextTable {
 public:
  struct Heading {
    std::string text;
    Align align = Align::kLeft;
  };

  TextTable() = default;
  explicit TextTable(std::vector<Heading> headings);

  void add_column(std::string heading, Align align);

  /// Adds a row with one cell a column.
  void add_row(std::vector<std::string> cells);

  /// Returns headings and rows, each a line without trailing spaces.
  std::string to_string() const;

 private:
  using Row = std::vector<std::string>;

  struct Column {
    std::size_t width;
    Align align;
  };

  std::vector<Column> columns_;
  std::vector<Row> rows_ = {Row()};  ///< The headings first.
};

}  // namespace gpubench
