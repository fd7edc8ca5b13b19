#include "compare/gate_report.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "compare/noise_floor.h"
#include "compare/row_names.h"

namespace gpubench {
namespace {

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
      : comparison_(comparison),
        names_(identities_of(comparison.contenders)),
        report_(report),
        cases_(cases) {}

  void sort(const Duel& duel) {
    for (const Pair& pair : duel.pairs) {
      if (pair.base != nullptr) sort(duel, pair);
    }
  }

 private:
  void sort(const Duel& duel, const Pair& pair) {
    if (!pair.base->is_ok) return;
    const std::string who = comparison_.duels.size() == 1 ? "" : pair_name(comparison_, duel) + ", ";
    const std::string name = who + names_.of(pair.base->identity);
    if (pair.other == nullptr) {
      report_.obstacles.push_back(name + ": is missing");
    } else if (!pair.other->is_ok) {
      report_.failures.push_back(
          fmt::format("{}: was ok, now {} ({})", name, pair.other->status, pair.other->status_reason));
    } else if (const auto ratio = speed_ratio(comparison_, duel, pair); !ratio.has_value()) {
      report_.obstacles.push_back(name + ": " + ratio.reason());
    } else {
      cases_.push_back({name, slowdown_of(comparison_, duel, pair), repetitions_of(pair)});
    }
  }

  const Comparison& comparison_;
  RowNames names_;
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

GateAnswer answer_of(const GateReport& report) {
  if (!report.failures.empty() || report.outcome.verdict == GateVerdict::kRegression)
    return GateAnswer::kRegression;
  if (!report.obstacles.empty() || report.outcome.cases.empty()) return GateAnswer::kIncomparable;
  return report.outcome.verdict == GateVerdict::kPass ? GateAnswer::kPass : GateAnswer::kInconclusive;
}

}  // namespace

GateReport gate(const Comparison& comparison, double threshold) {
  GateReport report;
  report.asked = threshold;
  std::vector<GateCase> cases;
  Sorter sorter(comparison, report, cases);
  for (const Duel& duel : comparison.duels) sorter.sort(duel);
  if (!cases.empty()) {
    report.noise_floor = floor_of(comparison, cases);
    report.outcome = judge(cases, effective_threshold(threshold, report.noise_floor));
  }
  report.answer = answer_of(report);
  return report;
}

}  // namespace gpubench
