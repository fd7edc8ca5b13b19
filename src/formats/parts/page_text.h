#pragma once
// Text functions of the report formats.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpubench/core/text/utf8.h"
#include "gpubench/record/page.h"

namespace gpubench {

inline constexpr std::size_t kMostTableRows = 1000;    ///< Per displayed table.
inline constexpr std::size_t kMostChartPoints = 2000;  ///< Per displayed line.

/// Truncates long tables and thins long lines evenly. Adds a note about the missing values.
std::vector<Section> truncate_for_display(std::vector<Section> sections);

/// Truncates sections for text. Removes charts that are not for text, and empty sections.
std::vector<Section> text_sections(const std::vector<Section>& sections);

/// Escapes `text` for HTML and XML, also inside quoted attributes. Forbidden and invalid characters become
/// U+FFFD.
std::string escaped(std::string_view text);

/// Numbered notes of a table. Equal notes share a number.
class CellNotes {
 public:
  explicit CellNotes(const Table& table) {
    for (const auto& row : table.rows) {
      for (const Cell& cell : row) {
        const bool is_new = !cell.note.empty() && numbers_.emplace(cell.note, notes_.size() + 1).second;
        if (is_new) notes_.push_back(cell.note);
      }
    }
  }

  /// Returns the number of the note, from 1; 0 for a cell without a note.
  std::size_t number(const Cell& cell) const {
    const auto number = numbers_.find(cell.note);
    return number == numbers_.end() ? 0 : number->second;
  }

  /// Returns "[2]"; empty for a cell without a note.
  std::string mark(const Cell& cell) const {
    return cell.note.empty() ? "" : "[" + std::to_string(number(cell)) + "]";
  }

  /// Returns the notes in the order of their numbers.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<std::string> notes_;
  std::map<std::string, std::size_t> numbers_;
};

/// Truncates plain `text` to `width` columns, at least 1; "…" marks the cut.
std::string clipped(const std::string& text, std::size_t width);

/// Returns "epoch time [s]", or the unit alone if the label is empty.
std::string axis_text(const Axis& axis);

/// Returns the headings and rows as delimited lines. Values have full precision. `quoted` quotes texts, which
/// never begin like a spreadsheet formula.
std::string delimited(const Table& table, char delimiter, std::string (*quoted)(const std::string&));

// Files of src/formats, embedded by scripts/cmake/GpubenchTexts.cmake.
std::string_view chart_css();  ///< Style of charts, with colours for a white background.
std::string_view page_css();   ///< Style of HTML, and chart colours for the reader's colour scheme.
std::string_view page_js();

// SHA-256 of the files in base64, for a Content-Security-Policy.
std::string_view chart_css_sha256();
std::string_view page_css_sha256();
std::string_view page_js_sha256();

}  // namespace gpubench
