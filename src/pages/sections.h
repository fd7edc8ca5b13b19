#pragma once
// Parts of pages. Sections are added, and tables and charts have content, where there is something to say.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compare/candidate.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/edit.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/page.h"
#include "pages/format.h"

namespace gpubench {

/// Largest number of lines in a chart that stays readable.
inline constexpr std::size_t kMostSeries = 8;
/// Lines of fewer points show no more than the table.
inline constexpr std::size_t kLeastPoints = 4;

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

/// A case with all its runs. Points into the record.
struct CaseSummary {
  std::vector<const CaseRecord*> all;   ///< Its repetitions, in the order of the file.
  std::vector<const CaseRecord*> good;  ///< Those that ended well; the first if none did.
  Measured<double> seconds;             ///< Median epoch: that of the medians of `good`.
  Measured<double> between_runs;        ///< halfwidth_between_runs() of `good`.

  bool is_ok() const { return good.front()->status == RowStatus::kOk; }

  /// Returns the relative 95 % half-width of the median epoch: between runs if known, else within a run.
  Measured<double> halfwidth() const;
};

/// In the order of the first repetitions.
std::vector<CaseSummary> aggregate_repeats(const RunRecord& run);

/// Returns whether any row has an interval between runs: then the others count as unknown.
bool any_between_runs(const std::vector<CaseSummary>& rows);

/// "images/s": what the throughput of the case counts.
std::string sample_rate_unit(const CaseRecord& c);

/// A row a case, and what does not fit into it.
struct CasesTable {
  Table table;                         ///< Figures after the throughput are details.
  std::vector<std::string> constants;  ///< "device cpu": columns that all rows would share.
  std::vector<std::string> remarks;    ///< Figures that no row has.
};

/// Needs a case.
CasesTable cases_table(const RunRecord& run);

/// Returns actions and cautions, a sentence each, the most important first.
std::vector<std::string> run_notes(const RunRecord& run);

/// "mlp: a step of 2.41 ms: input 8 %, forward 31 %, ...; operations: matrix product 62 %, ..., rest 3 %".
std::vector<std::string> profile_notes(const std::vector<CaseRecord>& cases);

/// How the figures were made: chosen modes, and peaks that a row lifted.
std::vector<std::string> method_notes(const RunRecord& run);

Table processes_table(const RunRecord& run);

/// "Energy": a row a case, and power over time of the first cases. Temperature and clock by epoch.
void add_energy(std::vector<Section>& sections, const RunRecord& run, std::optional<double> price_kwh);

/// Power by source, and speed in the first minute and later; without rows where these are unknown.
Table sources_table(const RunRecord& run);
Table sustained_table(const RunRecord& run);

/// Adds tool, machine, devices with peaks, and datasets; for a publication without tool and machine.
void add_environment(std::vector<Section>& sections, const RunRecord& run);

/// Adds tools and machines, a column each. Marks differences from the first.
void add_environments(std::vector<Section>& sections, const std::vector<NamedRun>& all);

/// Adds the sections of a record's page with `name`, its file, in their titles.
void add_run_sections(std::vector<Section>& sections, const NamedRun& run, std::optional<double> price_kwh);

/// Returns summary and sections of operations: collectives, sweep, matrix of types, rows, repetitions.
Page ops_outcome(const RunRecord& ops);

double compute_cost(double joules, double price_kwh);

/// A row for each case with a known energy, and its cost if there is a price. Labels name the candidates.
Table energy_table(const std::vector<Candidate>& candidates, std::optional<double> price_kwh);

/// "Energy: not measured for A (2 of 5 cases): ...", the first reason; nothing if no file is about energy.
std::vector<Paragraph> energy_absences(const std::vector<Candidate>& candidates);

/// A line through the finite ones of `values`, each over `unit`, from `x` on in steps.
Series make_line(std::string name, const std::vector<double>& values, double unit = 1, double x = 1,
                 double step = 1);

/// A gain of several ranks over one, and its owner; empty for a single one.
struct OwnedScaling {
  std::string owner;
  ScalingRow row;
};

Table scaling_table(const std::vector<OwnedScaling>& rows);

/// A line for each owner and work. A single rank is at 100 % by definition, and no point.
Chart efficiency_chart(const std::vector<OwnedScaling>& rows, const RowNames& names);

}  // namespace gpubench
