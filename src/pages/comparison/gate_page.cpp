// Whether a change may pass, for people.

#include <algorithm>

#include <fmt/format.h>

#include "gpubench/core/text/figures.h"
#include "pages/columns.h"
#include "pages/comparison/comparison_page.h"

namespace gpubench {
namespace {

std::string threshold_note(const GateReport& report) {
  if (!report.noise_floor)
    return "No noise floor is known: 'gpubench calibrate' measures how far equal programs are apart here.";
  const std::string known = fmt::format("noise floor of the machine {}", percent_text(*report.noise_floor));
  return report.outcome.threshold > report.asked
             ? fmt::format("The {} is above the {} asked for, and is the threshold.", known,
                           percent_text(report.asked))
             : fmt::format("The {} is below the threshold.", known);
}

/// What rows are about follows from the first one.
std::string work_in(const Comparison& comparison) {
  const auto& rows = comparison.contenders.front().rows;
  return !rows.empty() && rows.front().identity.at("op").empty() ? "training" : "operations";
}

/// Where a case has no interval.
std::string remedy(const Comparison& comparison, const GateReport& report) {
  const bool is_unknown = std::ranges::any_of(
      report.outcome.cases, [](const GateRow& row) { return !row.slowdown.interval.has_value(); });
  return is_unknown ? remedy_for(comparison.duels.front()) : "";
}

Paragraph sentence(const Comparison& comparison, const GateReport& report) {
  switch (report.answer) {
    case GateVerdict::kRegression:
      return {"Regression: this change makes " + work_in(comparison) + " slower.", Tone::kBad};
    case GateVerdict::kIncomparable:
      return {"Incomparable: not every case of the baseline can be judged.", Tone::kBad};
    case GateVerdict::kInconclusive:
      return {"Inconclusive: the times are too uncertain to tell." + remedy(comparison, report),
              Tone::kWarning};
    case GateVerdict::kPass:
      break;
  }
  return {"Pass: nothing is slower beyond the threshold.", Tone::kGood};
}

Cell verdict_cell(GateVerdict verdict) {
  if (verdict == GateVerdict::kPass) return {"pass", {}, "", Tone::kGood};
  if (verdict == GateVerdict::kRegression) return {"regression", {}, "", Tone::kBad};
  return {"inconclusive", {}, "", Tone::kWarning};
}

Cell slowdown_cell(const Estimate& slowdown) {
  Cell cell = number_cell(slowdown.value);
  if (!slowdown.interval.has_value()) cell.note = slowdown.interval.reason();
  return cell;
}

Table slowdown_table(const GateReport& report) {
  std::vector<GateRow> rows = report.outcome.cases;
  if (rows.size() > 1) rows.push_back(report.outcome.mean);
  Columns<GateRow> table(rows);
  table.add({"case"}, [](const GateRow& row) { return row.name; });
  table.add({"new / old", "x", true}, [](const GateRow& row) { return slowdown_cell(row.slowdown); });
  table.add({"95 % interval"}, [](const GateRow& row) { return interval_text(row.slowdown); });
  table.add({"verdict"}, [](const GateRow& row) { return verdict_cell(row.verdict); });
  table.add({"repetitions to decide", "", true}, [](const GateRow& row) {
    return row.repetitions_to_decide.has_value() ? std::to_string(row.repetitions_to_decide.value()) : "-";
  });
  return table.take("", {threshold_note(report)});
}

}  // namespace

Page gate_page(const Comparison& comparison, const GateReport& report) {
  Page page;
  page.title = fmt::format("Gate: {} against {}", comparison.contenders.back().file,
                           comparison.contenders.front().file);
  page.summary.push_back(sentence(comparison, report));
  for (const std::string& failure : report.failures) page.summary.push_back({failure, Tone::kBad});
  for (const std::string& obstacle : report.obstacles) page.summary.push_back({obstacle, Tone::kWarning});
  if (report.outcome.cases.empty()) return page;
  page.data = slowdown_table(report);
  page.sections.push_back(
      {fmt::format("Slowdowns, threshold {}", percent_text(report.outcome.threshold)), {page.data}});
  return page;
}

}  // namespace gpubench
