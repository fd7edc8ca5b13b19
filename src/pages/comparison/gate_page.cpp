// The answer of a gate for people.

#include <algorithm>

#include <fmt/format.h>

#include "gpubench/core/text/figures.h"
#include "pages/comparison/comparison_page.h"
#include "pages/comparison/sections.h"
#include "pages/format.h"

namespace gpubench {
namespace {

/// Advice for an inconclusive gate.
std::string remedy(const Comparison& comparison, const GateReport& report) {
  const bool is_unknown = std::ranges::any_of(
      report.outcome.cases, [](const GateCase& row) { return !row.slowdown.interval.has_value(); });
  const BaselineComparison& versus = comparison.versus_baseline.front();
  return is_unknown ? remedy_for(versus) : make_hint(versus);
}

Paragraph sentence(const Comparison& comparison, const GateReport& report) {
  const std::string threshold = percent_text(report.outcome.threshold);
  switch (report.answer) {
    case GateVerdict::kRegression:
      return {std::string("Regression: this change makes ") +
                  (are_operations(comparison) ? "operations" : "training") + " slower.",
              Tone::kBad};
    case GateVerdict::kIncomparable:
      return {"Incomparable: not every case of the baseline can be judged.", Tone::kBad};
    case GateVerdict::kInconclusive:
      return {fmt::format("Inconclusive: the times are too uncertain for a threshold of {}.{}", threshold,
                          remedy(comparison, report)),
              Tone::kWarning};
    case GateVerdict::kPass:
      break;
  }
  const bool is_whole = std::ranges::all_of(
      report.outcome.cases, [](const GateCase& row) { return row.verdict == GateVerdict::kPass; });
  return {is_whole ? "Pass: nothing is slower by more than " + threshold + "."
                   : "Pass: the mean is not slower by more than " + threshold +
                         ", and no case was measured slower than that.",
          Tone::kGood};
}

Cell verdict_cell(const GateCase& row, double limit) {
  if (row.verdict == GateVerdict::kPass) return {"pass", {}, "", Tone::kGood};
  if (row.verdict == GateVerdict::kRegression) return {"regression", {}, "", Tone::kBad};
  const Measured<Interval>& interval = row.slowdown.interval;
  std::string why = interval.reason();
  if (interval.has_value())
    why = interval.value().low > limit ? "above the threshold, but one of that many cases may be so by chance"
                                       : "the interval includes the threshold";
  return {"inconclusive", {}, why, Tone::kWarning};
}

Table slowdown_table(const Comparison& comparison, const GateReport& report) {
  std::vector<GateCase> rows = report.outcome.cases;
  if (rows.size() > 1) rows.push_back(report.outcome.mean);
  const BaselineComparison& versus = comparison.versus_baseline.front();
  const char* const unit = are_in_alternation(*versus.base, *versus.other) ? "rounds" : "runs";
  Columns<GateCase> table(rows);
  table.text("case", &GateCase::name);
  table.number("new / old", "x", [](const GateCase& row) { return row.slowdown.value; });
  table.text("95 % interval", [](const GateCase& row) { return interval_text(row.slowdown); });
  table.text("verdict", [&](const GateCase& row) { return verdict_cell(row, 1 + report.outcome.threshold); });
  table.add_told({"needs"}, [&](const GateCase& row) {
    const Measured<std::int64_t>& needed = row.repetitions_to_decide;
    return needed.has_value() ? fmt::format("about {} {}", needed.value(), unit) : "";
  });
  return table.take();
}

}  // namespace

Page gate_page(const Comparison& comparison, const GateReport& report) {
  Page page;
  page.title = fmt::format("Gate: {} against {}", comparison.candidates.back().file,
                           comparison.candidates.front().file);
  page.summary.push_back(sentence(comparison, report));
  for (const std::string& failure : report.failures) page.summary.push_back({failure, Tone::kBad});
  for (const std::string& obstacle : report.obstacles) page.summary.push_back({obstacle, Tone::kWarning});
  if (report.outcome.cases.empty()) return page;
  page.data = slowdown_table(comparison, report);
  page.sections.push_back(
      {fmt::format("Slowdowns, threshold {}", percent_text(report.outcome.threshold)), {page.data}});
  return page;
}

}  // namespace gpubench
