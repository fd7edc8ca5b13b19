#pragma once
// The notes of a table's cells, numbered.

#include <map>
#include <string>
#include <vector>

#include "gpubench/record/page.h"

namespace gpubench {

/// Equal notes share a number, so that each is said once.
class CellNotes {
 public:
  explicit CellNotes(const Table& table);

  /// "[2]"; empty for a cell without a note.
  std::string mark(const Cell& cell) const;

  /// The notes in the order of their numbers, from 1.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<std::string> notes_;
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace gpubench
