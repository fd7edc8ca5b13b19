// Whether a change may pass, for people.

#include <algorithm>

#include <fmt/format.h>

#include "gpubench/core/text/figures.h"
#include "pages/comparison/comparison_page.h"
#include "pages/record_table.h"

namespace gpubench {
namespace {

/// What rows are about follows from the first one.
std::string work_in(const Comparison& comparison) {
  const auto& rows = comparison.candidates.front().rows;
  return !rows.empty() && rows.front().identity.at("op").empty() ? "training" : "operations";
}

/// What decides an inconclusive gate.
std::string remedy(const Comparison& comparison, const GateReport& report) {
  const bool is_unknown = std::ranges::any_of(
      report.outcome.cases, [](const GateRow& row) { return !row.slowdown.interval.has_value(); });
  const BaselineComparison& versus = comparison.versus_baseline.front();
  return is_unknown ? remedy_for(versus) : make_hint(versus);
}

Paragraph sentence(const Comparison& comparison, const GateReport& report) {
  const std::string threshold = percent_text(report.outcome.threshold);
  switch (report.answer) {
    case GateVerdict::kRegression:
      return {"Regression: this change makes " + work_in(comparison) + " slower.", Tone::kBad};
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
      report.outcome.cases, [](const GateRow& row) { return row.verdict == GateVerdict::kPass; });
  return {is_whole ? "Pass: nothing is slower by more than " + threshold + "."
                   : "Pass: the mean is not slower by more than " + threshold +
                         ", and no case was measured slower than that.",
          Tone::kGood};
}

/// Why a row is inconclusive.
std::string doubt_about(const GateRow& row, double limit) {
  const Measured<Interval>& interval = row.slowdown.interval;
  if (!interval.has_value()) return interval.reason();
  return interval.value().low > limit ? "above the threshold, but one of that many cases may be so by chance"
                                      : "the interval includes the threshold";
}

Cell verdict_cell(const GateRow& row, double limit) {
  if (row.verdict == GateVerdict::kPass) return {"pass", {}, "", Tone::kGood};
  if (row.verdict == GateVerdict::kRegression) return {"regression", {}, "", Tone::kBad};
  return {"inconclusive", {}, doubt_about(row, limit), Tone::kWarning};
}

Table slowdown_table(const Comparison& comparison, const GateReport& report) {
  std::vector<GateRow> rows = report.outcome.cases;
  if (rows.size() > 1) rows.push_back(report.outcome.mean);
  const BaselineComparison& versus = comparison.versus_baseline.front();
  const char* const unit = are_in_alternation(*versus.base, *versus.other) ? "rounds" : "runs";
  Columns<GateRow> table(rows);
  table.add({"case"}, [](const GateRow& row) { return row.name; });
  table.add({"new / old", "x", true}, [](const GateRow& row) { return number_cell(row.slowdown.value); });
  table.add({"95 % interval"}, [](const GateRow& row) { return interval_text(row.slowdown); });
  table.add({"verdict"}, [&](const GateRow& row) { return verdict_cell(row, 1 + report.outcome.threshold); });
  table.add_told({"needs"}, [&](const GateRow& row) {
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
