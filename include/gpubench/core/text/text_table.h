#pragma once
// Columns of text that stand below each other in a terminal.

#include <string>
#include <vector>

namespace gpubench {

enum class Align { kLeft, kRight };

/// Rows of cells under headings. Cells are plain text, as wide as utf8.h says.
class TextTable {
 public:
  struct Heading {
    std::string text;
    Align align = Align::kLeft;
  };

  TextTable() = default;
  explicit TextTable(std::vector<Heading> headings);

  void add_column(std::string heading, Align align);

  /// One row; `cells` has one entry a column.
  void add_row(std::vector<std::string> cells);

  /// Heading and rows, two spaces between columns, no trailing spaces, each line ended by a newline.
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
