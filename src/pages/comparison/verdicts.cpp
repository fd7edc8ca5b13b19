// Which side is ahead, and whether the figures compare, metric by metric.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "compare/verdict.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "pages/comparison/comparison_page.h"
#include "pages/comparison/sections.h"
#include "pages/words.h"

namespace gpubench {
namespace {

/// Apart from the ratio and its interval.
std::string evidence(const std::vector<RowRatio>& rows, bool is_inverse) {
  if (rows.size() < 2) return counted(rows.size(), "case");
  std::vector<double> ratios =
      mapped(rows, [&](const RowRatio& row) { return is_inverse ? 1 / row.ratio.value : row.ratio.value; });
  const auto [least, most] = std::ranges::minmax(ratios);
  return fmt::format("geometric mean of {}, {} to {} by case", counted(rows.size(), "case"),
                     figure_text(least), figure_text(most));
}

/// What ratios of a duel amount to, told of the side that has the larger figure.
struct Finding {
  Outcome outcome;
  std::string better;  ///< Names of the sides; by the measured figures where there is doubt.
  std::string worse;
  std::string times;
  std::string range;  ///< "1.2 to 1.4"; empty where it is unknown.
  std::string evidence;
  std::string unknown;  ///< Why there is no interval.
  std::string margin;
};

Finding finding_of(const Duel& duel, const std::vector<RowRatio>& rows,
                   std::string (*name)(const Contender&)) {
  Estimate mean = mean_of(rows);
  const double margin = margin_of(rows);
  const Outcome outcome = outcome_of(mean, margin);
  const bool is_inverse = mean.value < 1;
  if (is_inverse) mean = rate_of(1, mean);
  const Contender& better = is_inverse ? *duel.base : *duel.other;
  const Contender& worse = is_inverse ? *duel.other : *duel.base;
  return {outcome,
          name(better),
          name(worse),
          figure_text(mean.value),
          interval_text(mean),
          evidence(rows, is_inverse),
          mean.interval.reason(),
          margin_text(margin)};
}

/// Why no case has a ratio of times.
std::string why_no_ratio(const Duel& duel) {
  const auto pair = std::ranges::find_if(duel.pairs, &Pair::is_common);
  return pair == duel.pairs.end() ? "no case in common" : speed_ratio(*pair).reason();
}

Paragraph verdict(const Duel& duel) {
  const std::vector<RowRatio> rows = row_ratios(duel);
  if (rows.empty())
    return caution("{} and {} have no case whose times compare: {}.", named(*duel.base), named(*duel.other),
                   why_no_ratio(duel));
  const Finding f = finding_of(duel, rows, named);
  switch (f.outcome) {
    case Outcome::kBetter:
    case Outcome::kWorse:
      return {fmt::format("{} trains {} times as fast as {} (95 % interval {}; {}).", f.better, f.times,
                          f.worse, f.range, f.evidence)};
    case Outcome::kEqual:
      return {fmt::format("{} and {} are equally fast within {}: {} times as fast, {} ({}).", f.better,
                          f.worse, f.margin, f.times, f.range, f.evidence)};
    case Outcome::kUndecided:
      return {fmt::format("Undecided which is faster: {} trains {} times as fast as {} (measured {}; {}).{}",
                          f.better, f.range, f.worse, f.times, f.evidence, hint_of(duel))};
    case Outcome::kUnknown:
      break;
  }
  return caution("{} was measured {} times as fast as {} ({}; {}).{}", f.better, f.times, f.worse, f.evidence,
                 f.unknown, remedy_for(duel));
}

/// Cautions of energies alone: " Caution: energy scope: A unknown, B gpu-board (2 cases)."
std::string energy_caveats(const Duel& duel) {
  std::vector<std::string> parts;
  for (const DifferenceCount& count : difference_counts(duel)) {
    const bool is_of_energy_alone = count.difference.on(Metric::kTime) == Judgement::kComparable;
    const Judgement worst = duel.is_forced ? Judgement::kRefused : Judgement::kCaveat;
    const Judgement judgement = count.difference.on(Metric::kEnergy);
    const bool is_shown = judgement != Judgement::kComparable && judgement <= worst;
    if (is_of_energy_alone && is_shown) parts.push_back(words_of(count, duel));
  }
  return parts.empty() ? "" : " Caution: " + join(parts, "; ") + ".";
}

/// Why energies that are known of both sides are not set beside each other; nothing where there are none.
std::vector<Paragraph> energy_refusal(const Duel& duel) {
  const auto pair = std::ranges::find_if(duel.pairs, &Pair::has_energies);
  if (pair == duel.pairs.end()) return {};
  return {caution("Energy: {} and {} have no case whose energies compare ({}).", duel.base->label,
                  duel.other->label, energy_ratio(*pair).reason())};
}

std::string label_of(const Contender& contender) { return contender.label; }

std::string energy_words(const Finding& f) {
  switch (f.outcome) {
    case Outcome::kBetter:
    case Outcome::kWorse:
      return fmt::format("{} needs {} times as much as {} (95 % interval {}; {}).", f.worse, f.times,
                         f.better, f.range, f.evidence);
    case Outcome::kEqual:
      return fmt::format("{} and {} need the same within {}: {} needs {} times as much, {} ({}).", f.worse,
                         f.better, f.margin, f.worse, f.times, f.range, f.evidence);
    case Outcome::kUndecided:
      return fmt::format("undecided which needs less: {} needs {} times as much as {} (measured {}; {}).",
                         f.worse, f.range, f.better, f.times, f.evidence);
    case Outcome::kUnknown:
      break;
  }
  return fmt::format("{} was measured to need {} times as much as {} ({}; {}).", f.worse, f.times, f.better,
                     f.evidence, f.unknown);
}

/// Nothing where no energies stand beside each other.
std::vector<Paragraph> energy_verdict(const Duel& duel) {
  const std::vector<RowRatio> rows = row_ratios(duel, kEnergy);
  if (rows.empty()) return energy_refusal(duel);
  return {{"Energy: " + energy_words(finding_of(duel, rows, label_of)) + energy_caveats(duel)}};
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

std::string reasons_for(Metric metric, const std::vector<DifferenceCount>& counts, const Duel& duel) {
  std::vector<std::string> reasons;
  for (const DifferenceCount& count : counts) {
    const Judgement one = count.difference.on(metric);
    if (one == Judgement::kComparable) continue;
    std::string reason = sentence_of(count.difference, duel);
    if (count.rows > 0) reason += fmt::format(" in {}", counted(count.rows, "case"));
    if (one == Judgement::kRefused) reason += ", refused";
    reasons.push_back(reason);
  }
  return reasons.empty() ? "nothing differs that matters" : join(reasons, "; ");
}

/// Why a side has no figure of the metric in a row; empty where both have one.
std::string missing(Metric metric, const Pair& pair) {
  for (const RowFigures* row : {pair.base, pair.other}) {
    const std::array<std::string, kMetrics> reasons = {row->seconds.reason(), row->startup_seconds.reason(),
                                                       row->peak_bytes.reason(), row->accuracy.reason(),
                                                       row->epoch_joules.reason()};
    const std::string& reason = reasons[static_cast<std::size_t>(metric)];
    // The section on energy has the reason, which is long.
    if (!reason.empty()) return metric == Metric::kEnergy ? "a side has none" : reason;
  }
  return "";
}

/// Why no case has figures of the metric on both sides; empty where one has.
std::string why_none(Metric metric, const Duel& duel) {
  std::string why = "no case ended well on both sides";
  for (const Pair& pair : duel.pairs) {
    if (!pair.is_common() || !pair.base->is_ok || !pair.other->is_ok) continue;
    const std::string reason = missing(metric, pair);
    if (reason.empty()) return "";
    why = reason;
  }
  return why;
}

std::vector<Cell> verdict_row(Metric metric, const Duel& duel, const std::vector<DifferenceCount>& counts) {
  const std::string why = why_none(metric, duel);
  const Cell pair{pair_name(duel)};
  const Cell name{to_string(metric)};
  if (!why.empty()) return {pair, name, {"no figures", {}, "", Tone::kMuted}, {why}};
  const auto common = static_cast<std::size_t>(std::ranges::count_if(duel.pairs, &Pair::is_common));
  const Judgement judgement = judgement_of(metric, counts, common);
  return {
      pair, name, {to_string(judgement), {}, "", tone_of(judgement)}, {reasons_for(metric, counts, duel)}};
}

Paragraph summary_of_many(const Comparison& comparison) {
  const auto has_ratio = [](const Duel& duel) { return !row_ratios(duel).empty(); };
  const std::string who =
      fmt::format("{} contenders against {}", comparison.duels.size(), named(comparison.contenders.front()));
  if (std::ranges::any_of(comparison.duels, has_ratio)) return {who + ": a line each below."};
  return caution("{}: none has a case whose times compare.", who);
}

}  // namespace

std::vector<Paragraph> comparison_summary(const Comparison& comparison) {
  if (comparison.duels.empty()) {
    return {
        caution("There is nothing to compare: name two result files, or one of a machine with two devices.")};
  }
  if (comparison.duels.size() > kMostDetailed) return {summary_of_many(comparison)};
  std::vector<Paragraph> summary;
  for (const Duel& duel : comparison.duels) {
    summary.push_back(verdict(duel));
    append(summary, energy_verdict(duel));
  }
  summary.push_back(coverage(comparison));
  for (const Duel& duel : comparison.duels) append(summary, comparability_of(duel));
  return summary;
}

Table verdict_table(const Comparison& comparison) {
  Table table{"", {{"pair"}, {"figure"}, {"verdict"}, {"because"}}, {}, {}};
  for (const Duel& duel : comparison.duels) {
    if (!has_common_row(duel)) continue;
    const auto counts = difference_counts(duel);
    for (const Metric metric : kAllMetrics) table.rows.push_back(verdict_row(metric, duel, counts));
  }
  if (comparison.is_forced) table.notes.push_back("Refused figures are shown all the same: --force.");
  return table;
}

}  // namespace gpubench
