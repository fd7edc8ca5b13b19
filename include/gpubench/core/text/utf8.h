#pragma once
// Text for a terminal: width of UTF-8 characters, sanitized untrusted text, and tables.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpubench {

/// A character's code point and its length in bytes.
struct Character {
  char32_t code;
  std::size_t length;
};

constexpr char32_t kReplacementCharacter = 0xfffd;

/// Returns the first character of a non-empty text; U+FFFD of one byte if it is not valid UTF-8.
Character first_character(std::string_view text);

/// Returns true if first_character() found valid UTF-8. A real U+FFFD has three bytes.
constexpr bool is_valid(const Character& character) {
  return character.code != kReplacementCharacter || character.length > 1;
}

/// Returns the width of `text` in terminal columns. Invalid bytes have width one.
std::size_t display_width(std::string_view text);

/// Returns the longest prefix of `text` of whole characters that fits into `width` columns.
std::string_view fitting(std::string_view text, std::size_t width);

/// Returns true for control characters, line and paragraph separators, and text direction marks.
bool is_control_character(char32_t code);

/// Returns `text` on one line. Line ends and tabs become spaces; control characters and invalid bytes '?'.
std::string plain_text(std::string_view text);

/// Wraps plain `text` to lines of `width` columns; returns at least one line. A longer word gets its own
/// line.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

enum class Align { kLeft, kRight };

/// A table of sanitized text with headings. Columns are two spaces apart.
class TextTable {
 public:
  struct Heading {
    std::string text;
    Align align = Align::kLeft;
  };

  TextTable() = default;
  explicit TextTable(std::vector<Heading> headings);

  void add_column(std::string heading, Align align);

  /// Adds a row with one cell per column.
  void add_row(std::vector<std::string> cells);

  /// Returns the width of a line without wrapping.
  std::size_t width() const;

  /// Returns headings and rows without trailing spaces. Wraps headings and left-aligned columns, the widest
  /// first, so that lines fit into `width` columns. No column is narrower than its words; those of text keep
  /// at least 18 columns.
  std::string to_string(std::size_t width) const;

 private:
  using Row = std::vector<std::string>;

  std::size_t least_width(std::size_t column) const;
  std::vector<std::size_t> fitted_widths(std::size_t width) const;

  std::vector<Align> columns_;
  std::vector<Row> rows_ = {Row()};  ///< Headings, then rows.
};

}  // namespace gpubench
