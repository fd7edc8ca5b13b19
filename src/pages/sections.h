#pragma once
// Parts of pages. Sections without content are not added.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compare/candidate.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/edit.h"
#include "gpubench/record/page.h"
#include "pages/format.h"

namespace gpubench {

/// Maximum number of lines in a readable chart.
inline constexpr std::size_t kMostSeries = 8;
/// Minimum number of points of a line; shorter ones show no more than the table.
inline constexpr std::size_t kLeastPoints = 4;

class CaseNames {
 public:
  explicit CaseNames(const std::vector<CaseRecord>& cases)
      : rows_(make_identities(cases)), has_repeats_(has_repeats(cases)) {}

  const RowNames& rows() const { return rows_; }

  /// Returns the name of the case: "mlp on cpu, batch 128, bf16".
  std::string all(const CaseRecord& c) const { return one_line(rows_.of(make_identity(c))); }

  /// Returns the name of one repeat: "mlp on cpu, batch 128, bf16, repeat 2".
  std::string one(const CaseRecord& c) const {
    return all(c) + (has_repeats_ ? ", repeat " + std::to_string(c.repeat) : "");
  }

 private:
  RowNames rows_;
  bool has_repeats_;
};

/// A case with all its repeats. Points into the record.
struct CaseSummary {
  ComparedRow compared;                 ///< Metrics over the repeats.
  std::vector<const CaseRecord*> all;   ///< Repeats in the order of the file.
  std::vector<const CaseRecord*> good;  ///< Successful repeats, or the first repeat if none succeeded.
  Measured<double> seconds;             ///< Median epoch time: the median over the medians of `good`.
  Measured<double> between_runs;        ///< halfwidth_between_runs() of `good`.

  bool is_ok() const { return good.front()->status == RowStatus::kOk; }

  /// Returns the relative half-width of the 95 % interval: between runs if known, else within one repeat.
  Measured<double> halfwidth() const;
};

/// Returns the cases in the order of their first repeats.
std::vector<CaseSummary> aggregate_repeats(const RunRecord& run);

/// Returns whether any case has an interval between runs; the intervals of the others are then unknown.
bool any_between_runs(const std::vector<CaseSummary>& rows);

/// Returns the unit of the case's throughput, such as "images/s".
std::string sample_rate_unit(const CaseRecord& c);

/// Table with a row per case, and texts to print beside it.
struct CasesTable {
  Table table;                         ///< Columns after the throughput are details.
  std::vector<std::string> constants;  ///< Columns with the same text in all rows: "device cpu".
  std::vector<std::string> remarks;    ///< Reasons for omitted columns.
};

/// Needs at least one case.
CasesTable cases_table(const RunRecord& run);

/// Returns cautions and advice, one sentence each, the most important first.
std::vector<std::string> run_notes(const RunRecord& run);

/// Returns e.g. "mlp: step of 2.41 ms: input 8 %, forward 31 %; operations: matrix product 62 %, rest 38 %".
std::vector<std::string> profile_notes(const std::vector<CaseRecord>& cases);

/// Returns notes on automatically chosen modes, and on peaks that a row raised.
std::vector<std::string> method_notes(const RunRecord& run);

Table repeats_table(const RunRecord& run);

/// Adds the energy of each case, power over time of the first cases, and temperature and clock per epoch.
void add_energy(std::vector<Section>& sections, const RunRecord& run, std::optional<double> price_kwh);

// Power by source; speed in the first minute and later. Empty if unknown.
Table sources_table(const RunRecord& run);
Table sustained_table(const RunRecord& run);

/// Adds tool and machine (unless published), devices with peaks, and datasets.
void add_environment(std::vector<Section>& sections, const RunRecord& run);

/// Adds a table of tools and machines with a column per run, and marks differences from the first.
void add_environments(std::vector<Section>& sections, const std::vector<NamedRun>& all);

/// Adds the sections of the run's page, with the run's name in their titles.
void add_run_sections(std::vector<Section>& sections, const NamedRun& run, std::optional<double> price_kwh);

/// Returns summary and sections of operations: collectives, sweep, matrix of types, rows, repeats.
Page ops_outcome(const RunRecord& ops);

double compute_cost(double joules, double price_kwh);

/// Returns a row per case with a known energy, and its cost if a price is given.
Table energy_table(const std::vector<Candidate>& candidates, std::optional<double> price_kwh);

/// Returns "Energy: not measured for desk (2 of 5 cases): REASON."; empty if no file has any energy or
/// reason.
std::vector<Paragraph> energy_absences(const std::vector<Candidate>& candidates);

/// Returns a line through the finite values, divided by `unit`, at `x`, `x + step`, ...
Series make_line(std::string name, const std::vector<double>& values, double unit = 1, double x = 1,
                 double step = 1);

/// Scaling of several ranks over one, and the candidate's name; empty if there is one candidate only.
struct OwnedScaling {
  std::string owner;
  ScalingRow row;
};

Table scaling_table(const std::vector<OwnedScaling>& rows);

/// Returns a line per owner and workload. A single rank has no point: it is at 100 % by definition.
Chart efficiency_chart(const std::vector<OwnedScaling>& rows, const RowNames& names);

}  // namespace gpubench
