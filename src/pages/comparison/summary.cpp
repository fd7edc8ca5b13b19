#include <algorithm>

#include <fmt/format.h>

#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "pages/comparison/comparison_page.h"
#include "pages/comparison/sections.h"
#include "pages/words.h"

namespace gpubench {
namespace {

/// The same ratio seen from the other side.
Estimate inverse(const Estimate& ratio) { return ratio_of(Estimate{1, Interval{1, 1}}, ratio); }

std::string range_text(const std::vector<Estimate>& ratios, bool is_inverse) {
  const auto [low, high] = std::minmax_element(
      ratios.begin(), ratios.end(), [](const Estimate& a, const Estimate& b) { return a.value < b.value; });
  const double least = is_inverse ? 1 / high->value : low->value;
  const double most = is_inverse ? 1 / low->value : high->value;
  return fmt::format("{} to {} by case", figure_text(least), figure_text(most));
}

std::string evidence(const Estimate& mean, const std::vector<Estimate>& ratios, bool is_inverse) {
  std::string text = fmt::format("geometric mean of {}", counted(ratios.size(), "case"));
  if (mean.interval.has_value()) text += fmt::format(", 95 % interval {}", interval_text(mean.interval));
  if (ratios.size() > 1) text += ", " + range_text(ratios, is_inverse);
  return text;
}

Paragraph verdict(const Comparison& comparison, const Duel& duel) {
  const std::string base = named(comparison.base_of(duel));
  const std::string other = named(comparison.other_of(duel));
  const std::vector<Estimate> ratios = all_ratios(comparison, duel);
  if (ratios.empty()) {
    return {fmt::format("{} and {} have no case whose times compare.", base, other), Tone::kWarning};
  }
  const Estimate mean = geometric_mean_of(ratios);
  if (!is_distinct_from_one(mean)) {
    return {fmt::format("{} and {} are equally fast as far as can be told: {} is {} times as fast ({}).",
                        base, other, comparison.other_of(duel).label, figure_text(mean.value),
                        evidence(mean, ratios, false))};
  }
  const bool is_base_faster = mean.value < 1;
  const Estimate shown = is_base_faster ? inverse(mean) : mean;
  return {fmt::format("{} trains {} times as fast as {} ({}).", is_base_faster ? base : other,
                      figure_text(shown.value), is_base_faster ? other : base,
                      evidence(shown, ratios, is_base_faster))};
}

/// What is to be minded of energies alone: " Mind energy scope unknown against gpu-board (2 cases)."
std::string energy_caveats(const Comparison& comparison, const Duel& duel) {
  std::vector<std::string> parts;
  for (const DifferenceCount& count : difference_counts(duel)) {
    const bool is_of_energy_alone = count.difference.on(Metric::kTime) == Judgement::kComparable;
    const Judgement worst = comparison.is_forced ? Judgement::kRefused : Judgement::kCaveat;
    const Judgement judgement = count.difference.on(Metric::kEnergy);
    const bool is_shown = judgement != Judgement::kComparable && judgement <= worst;
    if (is_of_energy_alone && is_shown) parts.push_back(words_of(count));
  }
  return parts.empty() ? "" : " Mind " + join(parts, "; ") + ".";
}

/// Why energies that are known of both sides are not set beside each other; nothing where there are none.
std::vector<Paragraph> energy_refusal(const Comparison& comparison, const Duel& duel) {
  for (const Pair& pair : duel.pairs) {
    if (pair.base == nullptr || pair.other == nullptr) continue;
    if (!pair.base->epoch_joules.has_value() || !pair.other->epoch_joules.has_value()) continue;
    return {{fmt::format("Energy: {} and {} have no case whose energies compare ({}).",
                         comparison.base_of(duel).label, comparison.other_of(duel).label,
                         energy_ratio(comparison, duel, pair).reason()),
             Tone::kWarning}};
  }
  return {};
}

/// Nothing where no energies stand beside each other.
std::vector<Paragraph> energy_verdict(const Comparison& comparison, const Duel& duel) {
  const std::vector<Estimate> ratios = all_ratios(comparison, duel, energy_ratio);
  if (ratios.empty()) return energy_refusal(comparison, duel);
  const std::string caveats = energy_caveats(comparison, duel);
  const Estimate mean = geometric_mean_of(ratios);
  const std::string& base = comparison.base_of(duel).label;
  const std::string& other = comparison.other_of(duel).label;
  if (!is_distinct_from_one(mean)) {
    return {{fmt::format(
        "Energy: {} and {} need the same as far as can be told: {} needs {} times as much ({}).{}", base,
        other, base, figure_text(mean.value), evidence(mean, ratios, false), caveats)}};
  }
  const bool is_base_cheaper = mean.value < 1;
  const Estimate shown = is_base_cheaper ? inverse(mean) : mean;
  return {{fmt::format("Energy: {} needs {} times as much as {} ({}).{}", is_base_cheaper ? other : base,
                       figure_text(shown.value), is_base_cheaper ? base : other,
                       evidence(shown, ratios, is_base_cheaper), caveats)}};
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
    summary.push_back(verdict(comparison, duel));
    for (Paragraph& energy : energy_verdict(comparison, duel)) summary.push_back(std::move(energy));
  }
  summary.push_back(coverage(comparison));
  for (const Duel& duel : comparison.duels) summary.push_back(comparability_of(comparison, duel));
  return summary;
}

}  // namespace gpubench
