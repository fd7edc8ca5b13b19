#include "formats/parts/cell_notes.h"

namespace gpubench {

CellNotes::CellNotes(const Table& table) {
  for (const auto& row : table.rows) {
    for (const Cell& cell : row) {
      const bool is_new = !cell.note.empty() && numbers_.emplace(cell.note, notes_.size() + 1).second;
      if (is_new) notes_.push_back(cell.note);
    }
  }
}

std::string CellNotes::mark(const Cell& cell) const {
  const auto number = numbers_.find(cell.note);
  return number == numbers_.end() ? "" : "[" + std::to_string(number->second) + "]";
}

}  // namespace gpubench
