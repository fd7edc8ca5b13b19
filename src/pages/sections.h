#pragma once
// Parts of pages. Sections are added, and tables and charts have content, where there is something to say.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compare/candidate.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/page.h"
#include "pages/format.h"

namespace gpubench {

/// Largest number of lines in a chart that stays readable.
inline constexpr std::size_t kMostSeries = 8;

/// Short names of the cases of a run.
class CaseNames {
 public:
  explicit CaseNames(const std::vector<CaseRecord>& cases)
      : rows_(make_identities(cases)), has_repeats_(has_repeats(cases)) {}

  const RowNames& rows() const { return rows_; }

  /// Names all repeats: "mlp on cpu, batch 128, bf16".
  std::string all(const CaseRecord& c) const { return one_line(rows_.of(make_identity(c))); }

  /// Names one case: "mlp on cpu, batch 128, bf16, repeat 2".
  std::string one(const CaseRecord& c) const {
    return all(c) + (has_repeats_ ? ", repeat " + std::to_string(c.repeat) : "");
  }

 private:
  RowNames rows_;
  bool has_repeats_;
};

/// A case as it was run, once or several times. Points into the run.
struct CaseSummary {
  std::vector<const CaseRecord*> all;   ///< Its repetitions, in the order of the file.
  std::vector<const CaseRecord*> told;  ///< Those that ended well; the first if none did.
  Measured<double> between_runs;        ///< halfwidth_between_runs() of those that ended well.

  /// Returns whether any ended well.
  bool is_ok() const { return !told.empty() && told.front()->status == RowStatus::kOk; }
};

/// In the order of the first repetitions.
std::vector<CaseSummary> aggregate_repeats(const RunRecord& run);

/// Key of the field that such a row has beside those of a case, next to `median_epoch_rel_ci95`.
inline constexpr const char* kBetweenRuns = "between_runs_halfwidth";

/// The fields of a case over all repetitions of a row: the median of figures (of rates the one of the median
/// time), texts where they differ one behind the other. `repeat` becomes `processes`, their number.
std::vector<Field<CaseSummary>> case_row_fields();

/// The run with its first kMostCasesShown cases alone, if it has more.
std::optional<RunRecord> make_beginning(const RunRecord& run);

/// How many cases of `run` its beginning has, and where the others are.
std::string left_out_text(const RunRecord& run);

/// "Cases": cases_table() without energy, figures of some models, processes by themselves, and further
/// figures of a publication. A sentence where there is no case. `has_summary`: the summary above
/// has the warnings.
void add_cases(std::vector<Section>& sections, const RunRecord& run, bool has_summary);

/// "Energy": a row a case, a row a source of power, power over time of the longest cases; or why there is
/// none. "First minute and sustained", and temperature and clock by epoch.
void add_energy(std::vector<Section>& sections, const RunRecord& run, std::optional<double> price_kwh);

/// Epoch time and throughput by batch, epoch by epoch, utilisation, start-up.
void add_charts(std::vector<Section>& sections, const RunRecord& run, const std::vector<RowFigures>& timed);

/// "Ranks": who trained together, what that gains, and where the time of epochs goes.
void add_ranks(std::vector<Section>& sections, const RunRecord& run);

/// Tool, machine, devices with their peaks, and datasets with the origin of their files. Without the tool and
/// the machine for a publication.
void add_environment(std::vector<Section>& sections, const ToolRecord& tool, const Environment& environment,
                     bool is_published);

/// An environment with the name of its file. Points into a record.
struct Surroundings {
  std::string name;
  const ToolRecord* tool;
  const Environment* environment;
};

/// Environments side by side: a column each, a row a field that one of them has. What differs from the first
/// is marked.
Section environments_section(const std::vector<Surroundings>& all);

/// Returns the cost of energy.
double compute_cost(double joules, double price_kwh);

/// A row for each case with a known energy, and its cost if there is a price. Several candidates are named by
/// their labels.
Table energy_table(const std::vector<Candidate>& candidates, std::optional<double> price_kwh);

/// "Energy: not measured for A: no power meter can be read (...).", a sentence for each reason. Nothing if no
/// file states anything about energy.
std::vector<Paragraph> energy_absences(const std::vector<Candidate>& candidates);

/// Samples a second of a row that has a time; missing without the number of samples.
Measured<Estimate> compute_throughput(const RowFigures& row);

/// A line through the finite ones of `values`, by epoch from 1, each over `unit`.
Series make_line(std::string name, const std::vector<double>& values, double unit = 1);

/// Why the case did not end well, and where memory ran out how much was asked for.
std::string reason_text(const CaseRecord& c);

/// The gain of several ranks over one.
Table scaling_table(const RunRecord& run);

/// The scaled work of any number of ranks: "resnet50, weak".
std::string scaled_work(const ScalingRow& row, const RowNames& names);

/// The efficiency, in percent.
Estimate efficiency_percent(const ScalingRow& row);

/// A scaling and its owner; empty for a single one.
struct OwnedScaling {
  std::string owner;
  const ScalingRow* row;
};

/// A line for each owner and work. A single rank is at 100 % by definition, and no point.
Chart efficiency_chart(const std::vector<OwnedScaling>& rows, const RowNames& names);

// Notes below a table, a sentence each.

/// Cases that did not end well, and why; repetitions that ended alike as one.
std::vector<std::string> failure_notes(const std::vector<CaseRecord>& cases);

/// Warnings of the cases, those of a kind as one: see add_warning().
std::vector<std::string> warning_notes(const std::vector<CaseRecord>& cases);

/// Datasets that are not the official ones.
std::vector<std::string> data_notes(const RunRecord& run);

/// How the figures were made: modes that were chosen and what they gain, where the time of steps went, which
/// epochs count, how it is known how runs differ.
std::vector<std::string> method_notes(const RunRecord& run);

}  // namespace gpubench
