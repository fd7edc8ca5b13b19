#pragma once
// The notes of a table's cells, numbered.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "gpubench/record/page.h"

namespace gpubench {

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

}  // namespace gpubench
