// Which side is ahead, and whether the figures compare, metric by metric.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "pages/columns.h"
#include "pages/comparison/comparison_page.h"
#include "pages/comparison/sections.h"

namespace gpubench {
namespace {

/// The same ratio seen from the other side.
Estimate inverse(const Estimate& ratio) { return ratio_of(Estimate{1, Interval{1, 1}}, ratio); }

std::string range_text(const std::vector<Estimate>& ratios, bool is_inverse) {
  const auto [low, high] = std::ranges::minmax_element(ratios, {}, &Estimate::value);
  const double least = is_inverse ? 1 / high->value : low->value;
  const double most = is_inverse ? 1 / low->value : high->value;
  return fmt::format("{} to {} by case", figure_text(least), figure_text(most));
}

std::string evidence(const Estimate& mean, const std::vector<Estimate>& ratios, bool is_inverse) {
  std::string text = fmt::format("geometric mean of {}", counted(ratios.size(), "case"));
  if (mean.interval.has_value()) text += fmt::format(", 95 % interval {}", interval_text(mean));
  if (ratios.size() > 1) text += ", " + range_text(ratios, is_inverse);
  return text;
}

/// What ratios amount to, told of the side that is the better one.
struct Finding {
  bool is_distinct;  ///< Else the mean itself is told.
  bool is_of_base;   ///< It is the baseline that is better.
  std::string times;
  std::string evidence;
};

Finding finding_of(const std::vector<Estimate>& ratios) {
  const Estimate mean = geometric_mean_of(ratios);
  const bool is_distinct = is_distinct_from_one(mean);
  const bool is_of_base = is_distinct && mean.value < 1;
  const Estimate shown = is_of_base ? inverse(mean) : mean;
  return {is_distinct, is_of_base, figure_text(shown.value), evidence(shown, ratios, is_of_base)};
}

Paragraph verdict(const Duel& duel) {
  const std::string base = named(*duel.base);
  const std::string other = named(*duel.other);
  const std::vector<Estimate> ratios = all_ratios(duel);
  if (ratios.empty())
    return {fmt::format("{} and {} have no case whose times compare.", base, other), Tone::kWarning};
  const Finding found = finding_of(ratios);
  if (!found.is_distinct) {
    return {fmt::format("{} and {} are equally fast as far as can be told: {} is {} times as fast ({}).",
                        base, other, duel.other->label, found.times, found.evidence)};
  }
  return {fmt::format("{} trains {} times as fast as {} ({}).", found.is_of_base ? base : other, found.times,
                      found.is_of_base ? other : base, found.evidence)};
}

/// What is to be minded of energies alone: " Mind energy scope unknown against gpu-board (2 cases)."
std::string energy_caveats(const Duel& duel) {
  std::vector<std::string> parts;
  for (const DifferenceCount& count : difference_counts(duel)) {
    const bool is_of_energy_alone = count.difference.on(Metric::kTime) == Judgement::kComparable;
    const Judgement worst = duel.is_forced ? Judgement::kRefused : Judgement::kCaveat;
    const Judgement judgement = count.difference.on(Metric::kEnergy);
    const bool is_shown = judgement != Judgement::kComparable && judgement <= worst;
    if (is_of_energy_alone && is_shown) parts.push_back(words_of(count));
  }
  return parts.empty() ? "" : " Mind " + join(parts, "; ") + ".";
}

/// Why energies that are known of both sides are not set beside each other; nothing where there are none.
std::vector<Paragraph> energy_refusal(const Duel& duel) {
  for (const Pair& pair : duel.pairs) {
    if (!pair.has_energies()) continue;
    return {{fmt::format("Energy: {} and {} have no case whose energies compare ({}).", duel.base->label,
                         duel.other->label, energy_ratio(pair).reason()),
             Tone::kWarning}};
  }
  return {};
}

/// Nothing where no energies stand beside each other.
std::vector<Paragraph> energy_verdict(const Duel& duel) {
  const std::vector<Estimate> ratios = all_ratios(duel, energy_ratio);
  if (ratios.empty()) return energy_refusal(duel);
  const std::string caveats = energy_caveats(duel);
  const Finding found = finding_of(ratios);
  const std::string& base = duel.base->label;
  const std::string& other = duel.other->label;
  if (!found.is_distinct) {
    return {{fmt::format(
        "Energy: {} and {} need the same as far as can be told: {} needs {} times as much ({}).{}", base,
        other, base, found.times, found.evidence, caveats)}};
  }
  return {{fmt::format("Energy: {} needs {} times as much as {} ({}).{}", found.is_of_base ? other : base,
                       found.times, found.is_of_base ? base : other, found.evidence, caveats)}};
}

Paragraph coverage(const Comparison& comparison) {
  std::vector<std::string> parts;
  bool is_whole = true;
  for (const Contender& contender : comparison.contenders) {
    const std::size_t good = count_of_good(contender);
    parts.push_back(fmt::format("{} runs {} of {}", contender.label, good, contender.rows.size()));
    is_whole = is_whole && good == contender.rows.size();
  }
  return {join(parts, ", ") + " cases.", is_whole ? Tone::kPlain : Tone::kWarning};
}

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
  return static_cast<std::size_t>(std::ranges::count_if(duel.pairs, &Pair::is_common));
}

std::vector<Cell> verdict_row(Metric metric, const Duel& duel, const std::vector<DifferenceCount>& counts) {
  const std::string why = why_none(metric, duel);
  if (!why.empty()) return {{to_string(metric)}, {"no figures", {}, "", Tone::kMuted}, {why}};
  const Judgement judgement = judgement_of(metric, counts, common_cases(duel));
  return {
      {to_string(metric)}, {to_string(judgement), {}, "", tone_of(judgement)}, {reasons_for(metric, counts)}};
}

}  // namespace

std::vector<Paragraph> comparison_summary(const Comparison& comparison) {
  if (comparison.duels.empty()) {
    return {{"There is nothing to compare: name two result files, or one of a machine with two devices.",
             Tone::kWarning}};
  }
  std::vector<Paragraph> summary;
  if (comparison.duels.size() > kMostDetailed) {
    return {{fmt::format("{} contenders against {}: a line each below.", comparison.duels.size(),
                         named(comparison.contenders.front()))}};
  }
  for (const Duel& duel : comparison.duels) {
    summary.push_back(verdict(duel));
    for (Paragraph& energy : energy_verdict(duel)) summary.push_back(std::move(energy));
  }
  summary.push_back(coverage(comparison));
  for (const Duel& duel : comparison.duels) summary.push_back(comparability_of(duel));
  return summary;
}

Table verdict_table(const Comparison& comparison) {
  Table table{"Comparable?", {{"pair"}, {"figure"}, {"verdict"}, {"because"}}, {}, {}};
  for (const Duel& duel : comparison.duels) {
    const auto counts = difference_counts(duel);
    for (const Metric metric : kAllMetrics) {
      std::vector<Cell> row = verdict_row(metric, duel, counts);
      row.insert(row.begin(), {pair_name(duel)});
      table.rows.push_back(std::move(row));
    }
  }
  if (comparison.is_forced) table.notes.push_back("Refused figures are shown all the same: --force.");
  return table;
}

}  // namespace gpubench
