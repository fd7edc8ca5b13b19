#pragma once
// The parts of a run's page, a source each.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compare/candidate.h"
#include "compare/case_summary.h"
#include "compare/row_names.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/page.h"
#include "pages/format.h"
#include "pages/record_table.h"

namespace gpubench {

/// Largest number of lines in a chart that stays readable.
inline constexpr std::size_t kMostSeries = 8;

/// Short names of the cases of a run.
class CaseNames {
 public:
  explicit CaseNames(const std::vector<CaseRecord>& cases)
      : rows_(make_identities(cases)), tells_repeat_(has_repeats(cases)) {}

  const RowNames& rows() const { return rows_; }

  /// Of all repeats: "mlp on cpu, batch 128, bf16".
  std::string all(const CaseRecord& c) const { return one_line(rows_.of(make_identity(c))); }

  /// Of the one case: "mlp on cpu, batch 128, bf16, repeat 2".
  std::string one(const CaseRecord& c) const {
    return all(c) + (tells_repeat_ ? ", repeat " + std::to_string(c.repeat) : "");
  }

 private:
  RowNames rows_;
  bool tells_repeat_;
};

/// The run with its first kMostCasesShown cases alone, where it has more; nothing where not.
std::optional<RunRecord> make_beginning(const RunRecord& run);

/// How many cases of `run` its beginning has, and where the others are.
std::string left_out_text(const RunRecord& run);

// Sections are added where there is something to say.

/// What stands beside a table of cases: a summary in words says how runs differ and what the machine did.
enum class SummaryPlacement { kNothing, kSummary };

/// "Cases": cases_table() without energy, figures of some models, processes by themselves, and what a
/// publication states beyond. A sentence where there is no case.
void add_cases(std::vector<Section>& sections, const RunRecord& run, SummaryPlacement summary);

/// A row a case, at least one, over all its repetitions, with its status coloured and the reason of what
/// failed noted. Below it what all rows have or lack.
Table cases_table(const RunRecord& run, SummaryPlacement summary, bool has_energy = true);

/// Figures that some models alone have: in the table of all cases they would be columns of dashes. Without
/// rows where there are none.
Table table_of_some(const RunRecord& run);

/// "Energy": a row a case, a row a source of power, power over time of the longest cases; or why there is
/// none. "First minute and sustained", and temperature and clock by epoch.
void add_energy(std::vector<Section>& sections, const RunRecord& run, std::optional<double> price_kwh);

/// Epoch time and throughput by batch, epoch by epoch, utilisation, start-up.
void add_charts(std::vector<Section>& sections, const RunRecord& run, const std::vector<RowFigures>& timed);

/// Samples a second of a row that has a time; absent where it does not tell its samples.
Measured<Estimate> compute_throughput(const RowFigures& row);

/// A line through the finite ones of `values`, by epoch from 1, each over `unit`.
Series make_line(std::string name, const std::vector<double>& values, double unit = 1);

/// Why the case did not end well, and where memory ran out how much was asked for.
std::string reason_text(const CaseRecord& c);

/// "Ranks": who trained together, what that gains, and where the time of epochs goes.
void add_ranks(std::vector<Section>& sections, const RunRecord& run);

/// What several ranks gain over one; without rows where no case has such a partner.
Table scaling_table(const RunRecord& run);

// Notes below a table, a sentence each.

/// What did not end well, and why; repetitions that ended alike as one.
std::vector<std::string> failure_notes(const std::vector<CaseRecord>& cases);

/// Warnings of the cases, those of a kind as one: see add_warning().
std::vector<std::string> warning_notes(const std::vector<CaseRecord>& cases);

/// Data that is not the official one.
std::vector<std::string> data_notes(const std::vector<DatasetRecord>& datasets);

/// How the figures were made: modes that were chosen and what they gain, where the time of steps went, which
/// epochs count, how it is known how runs differ.
std::vector<std::string> method_notes(const RunRecord& run);

/// What was scaled, whatever the number of ranks: "resnet50, weak".
std::string scaled_work(const ScalingRow& row, const RowNames& names);

/// The efficiency, in percent.
Estimate efficiency_percent(const ScalingRow& row);

/// A scaling and whose it is; empty where there is one owner alone.
struct OwnedScaling {
  std::string owner;
  const ScalingRow* row;
};

/// A line for each owner and work. A single rank is at 100 % by definition, and no point.
Chart efficiency_chart(const std::vector<OwnedScaling>& rows, const RowNames& names);

}  // namespace gpubench
