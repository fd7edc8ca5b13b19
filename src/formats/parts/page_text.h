#pragma once
// Parts that report formats share. Stateless, hence safe to call from several threads.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpubench/core/text/utf8.h"
#include "gpubench/record/page.h"

namespace gpubench {

// What a page for people has room for.
inline constexpr std::size_t kMostTableRows = 1000;
inline constexpr std::size_t kMostChartPoints = 2000;  ///< Of a line.

/// Cuts long tables, and thins long lines evenly. A note below each says what is missing.
std::vector<Section> truncate_for_display(std::vector<Section> sections);

/// Does so for text, which shows few charts: leaves out the others, and sections that have nothing else.
std::vector<Section> text_sections(const std::vector<Section>& sections);

/// `text` for tags and quoted attributes: markup is escaped; what XML forbids or is invalid becomes U+FFFD.
std::string escaped(std::string_view text);

/// Equal notes share a number, so that each is said once.
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

  /// From 1; 0 for a cell without a note.
  std::size_t number(const Cell& cell) const {
    const auto number = numbers_.find(cell.note);
    return number == numbers_.end() ? 0 : number->second;
  }

  /// "[2]"; empty for a cell without a note.
  std::string mark(const Cell& cell) const {
    return cell.note.empty() ? "" : "[" + std::to_string(number(cell)) + "]";
  }

  /// The notes in the order of their numbers.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<std::string> notes_;
  std::map<std::string, std::size_t> numbers_;
};

/// `text`, plain, with "…" in place of what is beyond `width` columns, at least 1.
std::string clipped(const std::string& text, std::size_t width);

/// Wraps plain `text` to lines of `width` columns, at least one. Longer words stand alone.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

/// "epoch time [s]"; the unit alone where there is no label.
std::string axis_text(const Axis& axis);

/// Returns heading and rows as lines: values in full precision, else text by `quoted`, never a formula.
std::string delimited(const Table& table, char delimiter, std::string (*quoted)(const std::string&));

// Files in this folder, as scripts/cmake/GpubenchTexts.cmake embeds them.
std::string_view chart_css();  ///< Looks of charts, in colours for white paper.
std::string_view page_css();   ///< Looks of HTML, and charts in the reader's colour scheme.
std::string_view page_js();

/// Base64 of the SHA-256 of the text, as a Content-Security-Policy wants it.
std::string_view chart_css_sha256();
std::string_view page_css_sha256();
std::string_view page_js_sha256();

}  // namespace gpubench
