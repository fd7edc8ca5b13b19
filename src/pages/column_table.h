#pragma once
// Tables that are written column by column.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gpubench/record/page.h"

namespace gpubench {

/// Of what each row is about. `Row` is small: it is copied.
template <class Row>
class ColumnTable {
 public:
  explicit ColumnTable(std::vector<Row> about) : about_(std::move(about)) {
    table_.rows.resize(about_.size());
  }

  template <class CellOf>
  void add(Column column, CellOf cell_of) {
    table_.columns.push_back(std::move(column));
    for (std::size_t i = 0; i < about_.size(); ++i) table_.rows[i].push_back(cell_of(about_[i]));
  }

  /// Whether `is` holds for any row: a column that would say nothing is left out.
  template <class Is>
  bool any(Is is) const {
    return std::any_of(about_.begin(), about_.end(), is);
  }

  /// With its title and what is said below.
  Table table(std::string title, std::vector<std::string> notes) && {
    table_.title = std::move(title);
    table_.notes = std::move(notes);
    return std::move(table_);
  }

 private:
  std::vector<Row> about_;
  Table table_{"", {}, {}, {}};
};

}  // namespace gpubench
