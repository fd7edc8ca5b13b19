#include "gpubench/compare/gate_report.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "compare/contender_cases.h"
#include "compare/words.h"
#include "gpubench/compare/noise_floor.h"
#include "report/figure_text.h"

namespace gpubench {
namespace {

std::string name_of(const Comparison& comparison, const Duel& duel, const CaseFigures& figures) {
  const std::string name = case_name(figures);
  return comparison.duels.size() == 1 ? name : pair_name(comparison, duel) + ", " + name;
}

std::int64_t repetitions_of(const Pair& pair) {
  return std::min(pair.base->processes, pair.other->processes);
}

/// The larger floor of the two machines.
std::optional<NoiseFloor> floor_of(const Comparison& comparison, const Duel& duel, std::int64_t repetitions) {
  std::optional<NoiseFloor> largest;
  for (const Contender* contender : {&comparison.base_of(duel), &comparison.other_of(duel)}) {
    const auto& seconds = contender->device.calibration_seconds;
    if (!seconds.has_value()) continue;
    const Reading<NoiseFloor> floor = noise_floor(seconds.value(), repetitions);
    if (floor.has_value() && (!largest || floor.value().relative > largest->relative))
      largest = floor.value();
  }
  return largest;
}

/// t_new / t_old.
Estimate slowdown_of(const Comparison& comparison, const Duel& duel, const Pair& pair) {
  const Estimate ratio = ratio_of_times(*pair.other, *pair.base);
  if (repetitions_of(pair) >= static_cast<std::int64_t>(kEnoughProcesses)) return ratio;
  if (const auto floor = floor_of(comparison, duel, repetitions_of(pair))) return widened_to(*floor, ratio);
  return {ratio.value, absent("fewer than three processes a side; run both with --repeat 5, or calibrate")};
}

/// Sorts the pairs of a duel into what can be judged and what speaks against it.
class Sorter {
 public:
  Sorter(const Comparison& comparison, GateReport& report, std::vector<GateCase>& cases)
      : comparison_(comparison), report_(report), cases_(cases) {}

  void sort(const Duel& duel) {
    for (const Pair& pair : duel.pairs) {
      if (pair.base != nullptr) sort(duel, pair);
    }
  }

 private:
  void sort(const Duel& duel, const Pair& pair) {
    const std::string name = name_of(comparison_, duel, *pair.base);
    if (pair.base->status != CaseStatus::kOk) return;
    if (pair.other == nullptr) {
      report_.obstacles.push_back(name + ": is missing");
    } else if (pair.other->status != CaseStatus::kOk) {
      report_.failures.push_back(fmt::format("{}: was ok, now {} ({})", name, to_string(pair.other->status),
                                             pair.other->status_reason));
    } else if (const auto ratio = speed_ratio(comparison_, duel, pair); !ratio.has_value()) {
      report_.obstacles.push_back(name + ": " + ratio.reason());
    } else {
      cases_.push_back({name, slowdown_of(comparison_, duel, pair), repetitions_of(pair)});
    }
  }

  const Comparison& comparison_;
  GateReport& report_;
  std::vector<GateCase>& cases_;
};

/// The largest floor of all duels, for comparisons of the fewest repetitions among the cases.
std::optional<double> floor_of(const Comparison& comparison, const std::vector<GateCase>& cases) {
  const auto fewest = std::min_element(cases.begin(), cases.end(), [](const GateCase& a, const GateCase& b) {
    return a.repetitions < b.repetitions;
  });
  std::optional<double> largest;
  for (const Duel& duel : comparison.duels) {
    const auto floor = floor_of(comparison, duel, fewest->repetitions);
    if (floor) largest = std::max(largest.value_or(0), floor->relative);
  }
  return largest;
}

std::string threshold_note(double asked, double used, const std::optional<double>& floor) {
  if (!floor)
    return "No noise floor is known: 'gpubench calibrate' measures how far equal programs are apart here.";
  const std::string known = fmt::format("noise floor of the machine {}", percent_text(*floor));
  return used > asked ? fmt::format("The {} is above the {} asked for, and is the threshold.", known,
                                    percent_text(asked))
                      : fmt::format("The {} is below the threshold.", known);
}

GateAnswer answer_of(const GateReport& report) {
  if (!report.failures.empty() || report.outcome.verdict == GateVerdict::kRegression)
    return GateAnswer::kRegression;
  if (!report.obstacles.empty() || report.outcome.cases.empty()) return GateAnswer::kIncomparable;
  return report.outcome.verdict == GateVerdict::kPass ? GateAnswer::kPass : GateAnswer::kInconclusive;
}

Paragraph sentence(const GateReport& report) {
  switch (report.answer) {
    case GateAnswer::kRegression:
      return {"Regression: this change makes training slower.", Tone::kBad};
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

GateReport gate(const Comparison& comparison, double threshold) {
  GateReport report;
  std::vector<GateCase> cases;
  Sorter sorter(comparison, report, cases);
  for (const Duel& duel : comparison.duels) sorter.sort(duel);
  if (!cases.empty()) {
    const std::optional<double> floor = floor_of(comparison, cases);
    report.outcome = judge(cases, effective_threshold(threshold, floor));
    report.notes.push_back(threshold_note(threshold, report.outcome.threshold, floor));
  }
  report.answer = answer_of(report);
  return report;
}

Page gate_page(const Comparison& comparison, const GateReport& report) {
  Page page;
  page.title = fmt::format("Gate: {} against {}", comparison.contenders.back().file,
                           comparison.contenders.front().file);
  page.summary.push_back(sentence(report));
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
              report.notes};
  for (const GateRow& row : report.outcome.cases) table.rows.push_back(row_of(row));
  if (report.outcome.cases.size() > 1) table.rows.push_back(row_of(report.outcome.mean));
  page.data = table;
  page.sections.push_back(
      {fmt::format("Slowdowns, threshold {}", percent_text(report.outcome.threshold)), {std::move(table)}});
  return page;
}

}  // namespace gpubench
