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
#include "pages/format.h"

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

/// What ratios of a versus amount to, told of the side that has the larger figure.
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

Finding make_finding(const BaselineComparison& versus, const std::vector<RowRatio>& rows,
                     std::string (*name)(const Candidate&)) {
  Estimate mean = compute_mean(rows);
  const double margin = compute_margin(rows);
  const Outcome outcome = decide_outcome(mean, margin);
  const bool is_inverse = mean.value < 1;
  if (is_inverse) mean = compute_rate(1, mean);
  const Candidate& better = is_inverse ? *versus.base : *versus.other;
  const Candidate& worse = is_inverse ? *versus.other : *versus.base;
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
std::string why_no_ratio(const BaselineComparison& versus) {
  const auto pair = std::ranges::find_if(versus.pairs, &Pair::is_common);
  return pair == versus.pairs.end() ? "no case in common" : speed_ratio(*pair).reason();
}

Paragraph verdict(const BaselineComparison& versus) {
  const std::vector<RowRatio> rows = row_ratios(versus);
  if (rows.empty())
    return caution("{} and {} have no case whose times compare: {}.", named(*versus.base),
                   named(*versus.other), why_no_ratio(versus));
  const Finding f = make_finding(versus, rows, named);
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
                          f.better, f.range, f.worse, f.times, f.evidence, make_hint(versus))};
    case Outcome::kUnknown:
      break;
  }
  return caution("{} was measured {} times as fast as {} ({}; {}).{}", f.better, f.times, f.worse, f.evidence,
                 f.unknown, remedy_for(versus));
}

/// Cautions of energies alone: " Caution: energy scope: A unknown, B gpu-board (2 cases)."
std::string energy_caveats(const BaselineComparison& versus) {
  std::vector<std::string> parts;
  for (const DifferenceCount& count : difference_counts(versus)) {
    const bool is_of_energy_alone = count.difference.on(Metric::kTime) == Comparability::kComparable;
    const Comparability worst = versus.is_forced ? Comparability::kRefused : Comparability::kCaveat;
    const Comparability comparability = count.difference.on(Metric::kEnergy);
    const bool is_shown = comparability != Comparability::kComparable && comparability <= worst;
    if (is_of_energy_alone && is_shown) parts.push_back(format_words(count, versus));
  }
  return parts.empty() ? "" : " Caution: " + join(parts, "; ") + ".";
}

/// Why energies that are known of both sides are not set beside each other; nothing where there are none.
std::vector<Paragraph> energy_refusal(const BaselineComparison& versus) {
  const auto pair = std::ranges::find_if(versus.pairs, &Pair::has_energies);
  if (pair == versus.pairs.end()) return {};
  return {caution("Energy: {} and {} have no case whose energies compare ({}).", versus.base->label,
                  versus.other->label, energy_ratio(*pair).reason())};
}

std::string format_label(const Candidate& candidate) { return candidate.label; }

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
std::vector<Paragraph> energy_verdict(const BaselineComparison& versus) {
  const std::vector<RowRatio> rows = row_ratios(versus, kEnergy);
  if (rows.empty()) return energy_refusal(versus);
  return {{"Energy: " + energy_words(make_finding(versus, rows, format_label)) + energy_caveats(versus)}};
}

Paragraph coverage(const Comparison& comparison) {
  std::vector<std::string> parts;
  bool is_whole = true;
  for (const Candidate& candidate : comparison.candidates) {
    const std::size_t good = count_of_good(candidate);
    parts.push_back(fmt::format("{} runs {} of {}", candidate.label, good, candidate.rows.size()));
    is_whole = is_whole && good == candidate.rows.size();
  }
  return {join(parts, ", ") + " cases.", is_whole ? Tone::kPlain : Tone::kWarning};
}

constexpr std::array kAllMetrics = {Metric::kTime, Metric::kStartup, Metric::kMemory, Metric::kAccuracy,
                                    Metric::kEnergy};

Tone find_tone(Comparability comparability) {
  if (comparability == Comparability::kComparable) return Tone::kGood;
  return comparability == Comparability::kCaveat ? Tone::kWarning : Tone::kBad;
}

/// Refused as a whole only where not one case is left.
Comparability decide_comparability(Metric metric, const std::vector<DifferenceCount>& counts,
                                   std::size_t pairs) {
  Comparability worst = Comparability::kComparable;
  for (const DifferenceCount& count : counts) {
    const Comparability one = count.difference.on(metric);
    const bool is_everywhere = count.rows == 0 || count.rows == pairs;
    worst = std::max(worst, is_everywhere ? one : std::min(one, Comparability::kCaveat));
  }
  return worst;
}

std::string reasons_for(Metric metric, const std::vector<DifferenceCount>& counts,
                        const BaselineComparison& versus) {
  std::vector<std::string> reasons;
  for (const DifferenceCount& count : counts) {
    const Comparability one = count.difference.on(metric);
    if (one == Comparability::kComparable) continue;
    std::string reason = format_sentence(count.difference, versus);
    if (count.rows > 0) reason += fmt::format(" in {}", counted(count.rows, "case"));
    if (one == Comparability::kRefused) reason += ", refused";
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
std::string why_none(Metric metric, const BaselineComparison& versus) {
  std::string why = "no case ended well on both sides";
  for (const Pair& pair : versus.pairs) {
    if (!pair.is_common() || !pair.base->is_ok || !pair.other->is_ok) continue;
    const std::string reason = missing(metric, pair);
    if (reason.empty()) return "";
    why = reason;
  }
  return why;
}

std::vector<Cell> verdict_row(Metric metric, const BaselineComparison& versus,
                              const std::vector<DifferenceCount>& counts) {
  const std::string why = why_none(metric, versus);
  const Cell pair{pair_name(versus)};
  const Cell name{to_string(metric)};
  if (!why.empty()) return {pair, name, {"no figures", {}, "", Tone::kMuted}, {why}};
  const auto common = static_cast<std::size_t>(std::ranges::count_if(versus.pairs, &Pair::is_common));
  const Comparability comparability = decide_comparability(metric, counts, common);
  return {pair,
          name,
          {to_string(comparability), {}, "", find_tone(comparability)},
          {reasons_for(metric, counts, versus)}};
}

Paragraph summary_of_many(const Comparison& comparison) {
  const auto has_ratio = [](const BaselineComparison& versus) { return !row_ratios(versus).empty(); };
  const std::string who = fmt::format("{} candidates against {}", comparison.versus_baseline.size(),
                                      named(comparison.candidates.front()));
  if (std::ranges::any_of(comparison.versus_baseline, has_ratio)) return {who + ": a line each below."};
  return caution("{}: none has a case whose times compare.", who);
}

}  // namespace

std::vector<Paragraph> comparison_summary(const Comparison& comparison) {
  if (comparison.versus_baseline.empty()) {
    return {
        caution("There is nothing to compare: name two result files, or one of a machine with two devices.")};
  }
  if (comparison.versus_baseline.size() > kMostDetailed) return {summary_of_many(comparison)};
  std::vector<Paragraph> summary;
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    summary.push_back(verdict(versus));
    append(summary, energy_verdict(versus));
  }
  summary.push_back(coverage(comparison));
  for (const BaselineComparison& versus : comparison.versus_baseline)
    append(summary, describe_comparability(versus));
  return summary;
}

Table verdict_table(const Comparison& comparison) {
  Table table{"", {{"pair"}, {"figure"}, {"verdict"}, {"because"}}, {}, {}};
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    if (!has_common_row(versus)) continue;
    const auto counts = difference_counts(versus);
    for (const Metric metric : kAllMetrics) table.rows.push_back(verdict_row(metric, versus, counts));
  }
  if (comparison.is_forced) table.notes.push_back("Refused figures are shown all the same: --force.");
  return table;
}

}  // namespace gpubench
