#pragma once
// Tables that are written column by column.

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/record/page.h"
#include "pages/words.h"

namespace gpubench {

/// What no row has, by the reason: said once below the table instead of in a column of dashes.
class Absences {
 public:
  void add(const std::string& heading, const std::string& reason) { headings_[reason].push_back(heading); }

  /// "no MFU, limited by: not measured", a line a reason.
  std::vector<std::string> notes() const {
    return mapped(headings_,
                  [](const auto& entry) { return "no " + join(entry.second) + ": " + entry.first; });
  }

 private:
  std::map<std::string, std::vector<std::string>> headings_;
};

/// A table with a row for each of some things, which outlive this.
template <class Row>
class Columns {
 public:
  explicit Columns(const std::vector<Row>& rows) : rows_(rows), cells_(rows.size()) {}
  explicit Columns(std::vector<Row>&&) = delete;

  /// `cell_of` a row is its cell, or the text of it.
  template <class CellOf>
  void add(Column column, CellOf cell_of) {
    columns_.push_back(std::move(column));
    for (std::size_t i = 0; i < rows_.size(); ++i) cells_[i].push_back(Cell{cell_of(rows_[i])});
  }

  /// The same where any cell has a figure; else `reason` goes to the absences.
  template <class CellOf>
  void add_known(Column column, CellOf cell_of, const std::string& reason) {
    if (any([&](const Row& row) { return cell_of(row).text != "-"; }))
      add(std::move(column), cell_of);
    else
      absences_.add(column.heading, reason);
  }

  /// The same of texts, where any is not empty.
  template <class TextOf>
  void add_told(Column column, TextOf text_of) {
    if (any([&](const Row& row) { return !text_of(row).empty(); })) add(std::move(column), text_of);
  }

  /// For other programs: the value of an estimate and the ends of its interval, empty where there are none.
  template <class EstimateOf>
  void add_estimate(const std::array<const char*, 3>& headings, EstimateOf estimate_of) {
    for (const char* heading : headings) columns_.push_back({heading});
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (Cell& cell : estimate_cells(estimate_of(rows_[i]))) cells_[i].push_back(std::move(cell));
    }
  }

  template <class Is>
  bool any(Is is) const {
    return std::ranges::any_of(rows_, is);
  }

  std::vector<std::string> absences() const { return absences_.notes(); }

  /// The table; nothing is left here.
  Table take(std::string title = "", std::vector<std::string> notes = {}) {
    return {std::move(title), std::move(columns_), std::move(cells_), std::move(notes)};
  }

 private:
  const std::vector<Row>& rows_;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> cells_;
  Absences absences_;
};

}  // namespace gpubench
