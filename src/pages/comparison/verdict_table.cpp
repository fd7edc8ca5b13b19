// Whether the figures compare, metric by metric.

#include <algorithm>

#include <fmt/format.h>

#include "gpubench/core/nearest.h"
#include "pages/comparison/sections.h"
#include "pages/words.h"

namespace gpubench {
namespace {

constexpr std::array kAllMetrics = {Metric::kTime, Metric::kStartup, Metric::kMemory, Metric::kAccuracy,
                                    Metric::kEnergy};

Tone tone_of(Judgement judgement) {
  if (judgement == Judgement::kComparable) return Tone::kGood;
  return judgement == Judgement::kCaveat ? Tone::kWarning : Tone::kBad;
}

/// Refused as a whole only where not one case is left.
Judgement judgement_of(Metric metric, const std::vector<DifferenceCount>& counts, std::size_t pairs) {
  Judgement worst = Judgement::kComparable;
  for (const DifferenceCount& count : counts) {
    const Judgement one = count.difference.on(metric);
    const bool is_everywhere = count.rows == 0 || count.rows == pairs;
    worst = std::max(worst, is_everywhere ? one : std::min(one, Judgement::kCaveat));
  }
  return worst;
}

std::string reasons_for(Metric metric, const std::vector<DifferenceCount>& counts) {
  std::vector<std::string> reasons;
  for (const DifferenceCount& count : counts) {
    const Judgement one = count.difference.on(metric);
    if (one == Judgement::kComparable) continue;
    std::string reason = sentence_of(count.difference);
    if (count.rows > 0) reason += fmt::format(" in {}", counted(count.rows, "case"));
    if (one == Judgement::kRefused) reason += ", refused";
    reasons.push_back(reason);
  }
  return reasons.empty() ? "nothing differs that matters" : join(reasons, "; ");
}

/// Why a side has no figure of the metric in a row; empty where both have one.
std::string missing(Metric metric, const Pair& pair) {
  const auto reason_of = [](const auto& reading) { return reading.has_value() ? "" : reading.reason(); };
  for (const RowFigures* row : {pair.base, pair.other}) {
    const std::array<std::string, kMetrics> reasons = {
        reason_of(row->seconds), reason_of(row->startup_seconds), reason_of(row->peak_bytes),
        reason_of(row->accuracy), reason_of(row->epoch_joules)};
    const std::string& reason = reasons[static_cast<std::size_t>(metric)];
    if (!reason.empty()) return reason;
  }
  return "";
}

bool is_ok(const RowFigures* figures) { return figures != nullptr && figures->is_ok; }

/// Why no case has figures of the metric on both sides; empty where one has.
std::string why_none(Metric metric, const Duel& duel) {
  std::string why = "no case ended well on both sides";
  for (const Pair& pair : duel.pairs) {
    if (!is_ok(pair.base) || !is_ok(pair.other)) continue;
    const std::string reason = missing(metric, pair);
    if (reason.empty()) return "";
    why = reason;
  }
  return why;
}

std::size_t common_cases(const Duel& duel) {
  return static_cast<std::size_t>(std::count_if(duel.pairs.begin(), duel.pairs.end(), [](const Pair& pair) {
    return pair.base != nullptr && pair.other != nullptr;
  }));
}

std::vector<Cell> verdict_row(Metric metric, const Duel& duel, const std::vector<DifferenceCount>& counts) {
  const std::string why = why_none(metric, duel);
  if (!why.empty()) return {{to_string(metric)}, {"no figures", {}, "", Tone::kMuted}, {why}};
  const Judgement judgement = judgement_of(metric, counts, common_cases(duel));
  return {
      {to_string(metric)}, {to_string(judgement), {}, "", tone_of(judgement)}, {reasons_for(metric, counts)}};
}

}  // namespace

Table verdict_table(const Comparison& comparison) {
  Table table{"Comparable?", {{"pair"}, {"figure"}, {"verdict"}, {"because"}}, {}, {}};
  for (const Duel& duel : comparison.duels) {
    const auto counts = difference_counts(duel);
    for (const Metric metric : kAllMetrics) {
      std::vector<Cell> row = verdict_row(metric, duel, counts);
      row.insert(row.begin(), {pair_name(comparison, duel)});
      table.rows.push_back(std::move(row));
    }
  }
  if (comparison.is_forced) table.notes.push_back("Refused figures are shown all the same: --force.");
  return table;
}

}  // namespace gpubench
