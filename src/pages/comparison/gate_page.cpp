#include "pages/comparison/gate_page.h"

#include <fmt/format.h>

#include "gpubench/core/text/figures.h"
#include "pages/words.h"

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

Paragraph sentence(const Comparison& comparison, const GateReport& report) {
  switch (report.answer) {
    case GateAnswer::kRegression:
      return {"Regression: this change makes " + work_in(comparison) + " slower.", Tone::kBad};
    case GateAnswer::kIncomparable:
      return {"Incomparable: not every case of the baseline can be judged.", Tone::kBad};
    case GateAnswer::kInconclusive:
      return {"Inconclusive: the times are too uncertain to tell.", Tone::kWarning};
    case GateAnswer::kPass:
      break;
  }
  return {"Pass: nothing is slower beyond the threshold.", Tone::kGood};
}

Cell verdict_cell(GateVerdict verdict) {
  if (verdict == GateVerdict::kPass) return {"pass", {}, "", Tone::kGood};
  if (verdict == GateVerdict::kRegression) return {"regression", {}, "", Tone::kBad};
  return {"inconclusive", {}, "", Tone::kWarning};
}

std::vector<Cell> row_of(const GateRow& row) {
  const Estimate& slowdown = row.slowdown;
  Cell ratio = number_cell(slowdown.value);
  if (!slowdown.interval.has_value()) ratio.note = slowdown.interval.reason();
  return {{row.name},
          std::move(ratio),
          {interval_text(slowdown.interval)},
          verdict_cell(row.verdict),
          row.repetitions_to_decide.has_value() ? Cell{std::to_string(row.repetitions_to_decide.value())}
                                                : Cell{"-"}};
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
  Table table{"",
              {{"case"},
               {"new / old", "x", true},
               {"95 % interval"},
               {"verdict"},
               {"repetitions to decide", "", true}},
              {},
              {threshold_note(report)}};
  for (const GateRow& row : report.outcome.cases) table.rows.push_back(row_of(row));
  if (report.outcome.cases.size() > 1) table.rows.push_back(row_of(report.outcome.mean));
  page.data = table;
  page.sections.push_back(
      {fmt::format("Slowdowns, threshold {}", percent_text(report.outcome.threshold)), {std::move(table)}});
  return page;
}

}  // namespace gpubench
