#pragma once
// Cases side by side, in what is told about a plan before it is measured.

#include <string>
#include <vector>

#include "gpubench/core/text_table.h"
#include "gpubench/engine/plan.h"

namespace gpubench {

/// A row a case: what it trains, on what, where, and the figures of the one who makes the table. The mode has
/// a column where some case's is not the default.
class CaseTable {
 public:
  /// All cases that may get a row, and the headings after those of the case itself.
  CaseTable(const std::vector<Case>& cases, const std::vector<TextTable::Heading>& figures);

  /// `figures` has one entry for each heading given.
  void add_row(const Case& c, const std::vector<std::string>& figures);

  std::string to_string() const { return table_.to_string(); }

 private:
  bool has_modes_;
  TextTable table_;
};

/// "mlp on cpu", "mlp on cpu, bf16".
std::string case_kind(const Case& c);

/// Of the cases that differ in batch size or repetition alone the one with the smallest batch, in the order
/// of the first of each.
std::vector<Case> smallest_cases(const std::vector<Case>& cases);

}  // namespace gpubench
