#pragma once
// What a planned run can be asked besides its results: what it would cost, and how large a batch may be.

#include <string>
#include <vector>

#include "app/run/execution.h"
#include "gpubench/core/text/text_table.h"

namespace gpubench {

/// Cases side by side. A row a case: what it trains, on what, where, and the figures of the one who makes the
/// table. The mode has a column where some case's is not the default.
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

/// `--dry-run`: a row for each case with its expected time. Runs no case.
ExitCode run_dry(const PlanExecution& execution);

/// `--find-max-batch`: a row for each model, device and mode. The smallest batch size of the plan is where
/// the search begins.
ExitCode run_max_batch(PlanExecution& execution);

}  // namespace gpubench
