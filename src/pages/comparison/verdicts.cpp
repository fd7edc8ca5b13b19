// Verdicts of a comparison in words: which side is ahead, and whether the figures compare.

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "pages/comparison/comparison_page.h"
#include "pages/comparison/sections.h"
#include "pages/format.h"

namespace gpubench {
namespace {

/// Sentences on ratios of a versus, about the side that has the larger figure.
struct Wording {
  const char* ahead;
  const char* equal;
  const char* undecided;
  const char* unknown;
};

constexpr Wording kTimes = {
    "{better} {verb} {times} times as fast as {worse} (95 % interval {range}; {evidence}).",
    "{better} and {worse} are equally fast within {margin}: {times} times as fast, {range} ({evidence}).",
    "Undecided which is faster: {better} {verb} {range} times as fast as {worse} (measured {times}; "
    "{evidence}).{hint}",
    "{better} was measured {times} times as fast as {worse} ({evidence}; {why}).{remedy}"};

constexpr Wording kEnergies = {
    "Energy: {worse} needs {times} times as much as {better} (95 % interval {range}; {evidence}).",
    "Energy: {worse} and {better} need the same within {margin}: {worse} needs {times} times as much, "
    "{range} "
    "({evidence}).",
    "Energy: undecided which needs less: {worse} needs {range} times as much as {better} (measured {times}; "
    "{evidence}).",
    "Energy: {worse} was measured to need {times} times as much as {better} ({evidence}; {why})."};

const char* choose_sentence(const Wording& wording, Outcome outcome) {
  if (outcome == Outcome::kUnknown) return wording.unknown;
  if (outcome == Outcome::kUndecided) return wording.undecided;
  return outcome == Outcome::kEqual ? wording.equal : wording.ahead;
}

/// "geometric mean of 12 cases, 1.2 to 3.4 by case"
std::string format_evidence(const std::vector<RowRatio>& rows, bool is_inverse, const std::string& noun) {
  if (rows.size() < 2) return counted(rows.size(), noun);
  const std::vector<double> ratios =
      mapped(rows, [&](const RowRatio& row) { return is_inverse ? 1 / row.ratio.value : row.ratio.value; });
  const auto [least, most] = std::ranges::minmax(ratios);
  return fmt::format("geometric mean of {}, {} to {} by {}", counted(rows.size(), noun), figure_text(least),
                     figure_text(most), noun);
}

/// The verdict on ratios, at least one; sides are called by `name`.
Paragraph describe_ratios(const BaselineComparison& versus, const std::vector<RowRatio>& rows,
                          const Wording& wording, std::string (*name)(const Candidate&)) {
  Estimate mean = compute_mean(rows);
  const double margin = compute_margin(rows);
  const Outcome outcome = decide_outcome(mean, margin);
  const bool is_inverse = mean.value < 1;
  if (is_inverse) mean = compute_rate(1, mean);
  const bool is_op = !rows.front().base.figures->identity.at("op").empty();
  const std::string text =
      fmt::format(fmt::runtime(choose_sentence(wording, outcome)),
                  fmt::arg("better", name(is_inverse ? *versus.base : *versus.other)),
                  fmt::arg("worse", name(is_inverse ? *versus.other : *versus.base)),
                  fmt::arg("verb", is_op ? "is" : "trains"), fmt::arg("times", figure_text(mean.value)),
                  fmt::arg("range", interval_text(mean)),
                  fmt::arg("evidence", format_evidence(rows, is_inverse, is_op ? "row" : "case")),
                  fmt::arg("margin", percent_text(margin)), fmt::arg("why", mean.interval.reason()),
                  fmt::arg("hint", make_hint(versus)), fmt::arg("remedy", remedy_for(versus)));
  return {text, outcome == Outcome::kUnknown ? Tone::kWarning : Tone::kPlain};
}

Paragraph time_verdict(const BaselineComparison& versus) {
  const std::vector<RowRatio> rows = row_ratios(versus);
  if (!rows.empty()) return describe_ratios(versus, rows, kTimes, named);
  const auto pair = std::ranges::find_if(versus.pairs, &Pair::is_common);
  const std::string noun = has_operations(*versus.base) ? "row" : "case";
  return caution("{} and {} have no {} whose times compare: {}.", named(*versus.base), named(*versus.other),
                 noun,
                 pair == versus.pairs.end() ? "no " + noun + " in common" : speed_ratio(*pair).reason());
}

/// "precision: A fp32, B fp16 (2 cases)"
std::string format_difference(const DifferenceCount& count, const BaselineComparison& versus) {
  const std::string text = format_sentence(count.difference, versus);
  return count.rows == 0 ? text : fmt::format("{} ({})", text, counted(count.rows, "case"));
}

/// Cautions of energies alone: " Caution: energy scope: A unknown, B gpu-board (2 cases)."
std::string energy_caveats(const BaselineComparison& versus) {
  std::vector<std::string> parts;
  for (const DifferenceCount& count : difference_counts(versus)) {
    const bool is_of_energy_alone = count.difference.on(Metric::kTime) == Comparability::kComparable;
    const Comparability worst = versus.is_forced ? Comparability::kRefused : Comparability::kCaveat;
    const Comparability comparability = count.difference.on(Metric::kEnergy);
    const bool is_shown = comparability != Comparability::kComparable && comparability <= worst;
    if (is_of_energy_alone && is_shown) parts.push_back(format_difference(count, versus));
  }
  return parts.empty() ? "" : " Caution: " + join(parts, "; ") + ".";
}

/// Returns no paragraph if no case has energies on both sides.
std::vector<Paragraph> energy_verdict(const BaselineComparison& versus) {
  const std::vector<RowRatio> rows = row_ratios(versus, kEnergy);
  if (!rows.empty()) {
    const auto label = [](const Candidate& candidate) { return candidate.label; };
    return {{describe_ratios(versus, rows, kEnergies, label).text + energy_caveats(versus)}};
  }
  const auto pair = std::ranges::find_if(versus.pairs, &Pair::has_energies);
  if (pair == versus.pairs.end()) return {};
  return {caution("Energy: {} and {} have no case whose energies compare ({}).", versus.base->label,
                  versus.other->label, energy_ratio(*pair).reason())};
}

/// "A runs 3 of 4, B runs 5 of 5 cases."
Paragraph coverage(const Comparison& comparison) {
  std::vector<std::string> parts;
  bool is_whole = true;
  for (const Candidate& candidate : comparison.candidates) {
    const std::size_t good = count_of_good(candidate);
    parts.push_back(fmt::format("{} runs {} of {}", candidate.label, good, candidate.rows.size()));
    is_whole = is_whole && good == candidate.rows.size();
  }
  return {join(parts, ", ") + " " + row_noun(comparison) + "s.", is_whole ? Tone::kPlain : Tone::kWarning};
}

/// Says whether the times of the versus compare, and adds cautions. Returns no paragraph if no case has a
/// ratio for another reason than a difference.
std::vector<Paragraph> describe_comparability(const BaselineComparison& versus) {
  const auto list = [&](Comparability comparability) {
    std::vector<std::string> parts;
    for (const DifferenceCount& count : difference_counts(versus)) {
      if (count.difference.on(Metric::kTime) == comparability)
        parts.push_back(format_difference(count, versus));
    }
    return join(parts, "; ");
  };
  const std::string refused = list(Comparability::kRefused);
  const std::string caveats = list(Comparability::kCaveat);
  const std::string pair = pair_name(versus);
  if (refused.empty() && caveats.empty()) {
    if (row_ratios(versus).empty()) return {};
    return {{pair + ": no known reason against comparing the times."}};
  }
  std::string text = pair + ":";
  if (!refused.empty())
    text += fmt::format(" {}: {}.", versus.is_forced ? "unlike, shown by --unlike" : "refused", refused);
  if (!caveats.empty()) text += " Caution: " + caveats + ".";
  return {{text, Tone::kWarning}};
}

/// Operations without a ratio, which the table leaves out, counted by the reason: "B has no such case (12)".
std::vector<Paragraph> unpaired_rows(const BaselineComparison& versus) {
  std::vector<std::string> reasons;
  for (const Pair& pair : versus.pairs) {
    const Measured<Estimate> ratio = speed_ratio(pair);
    if (!ratio.has_value()) reasons.push_back(one_line(ratio.reason()));
  }
  if (reasons.empty() || !has_common_row(versus)) return {};
  std::vector<std::string> parts;
  for (const auto& [why, those] : grouped(reasons, std::identity()))
    parts.push_back(fmt::format("{} ({})", why, those.size()));
  return {caution("{}: {} without a ratio: {}.", pair_name(versus), counted(reasons.size(), "row"),
                  counted(std::move(parts)))};
}

/// The worst effect of differences; refused as a whole only if not one case is left.
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

/// Why no case has figures of the metric on both sides; empty if one has.
std::string why_none(Metric metric, const BaselineComparison& versus) {
  std::string why = "no case ended well on both sides";
  for (const Pair& pair : versus.pairs) {
    if (!pair.is_common() || !pair.base->is_ok || !pair.other->is_ok) continue;
    std::string missing;
    for (const RowFigures* row : {pair.other, pair.base}) {
      // In the order of metrics. The section on energy has its reason, which is long.
      const std::array<std::string, kAllMetrics.size()> reasons = {
          row->seconds.reason(), row->startup_seconds.reason(), row->peak_bytes.reason(),
          row->accuracy.reason(), row->epoch_joules.has_value() ? "" : "a side has none"};
      const std::string& reason = reasons[static_cast<std::size_t>(metric)];
      if (!reason.empty()) missing = reason;
    }
    if (missing.empty()) return "";
    why = missing;
  }
  return why;
}

std::vector<Cell> verdict_row(Metric metric, const BaselineComparison& versus,
                              const std::vector<DifferenceCount>& counts) {
  const std::string why = why_none(metric, versus);
  if (!why.empty())
    return {{pair_name(versus)}, {to_string(metric)}, {"no figures", {}, "", Tone::kMuted}, {why}};
  constexpr std::array kTones = {Tone::kGood, Tone::kWarning, Tone::kBad};
  const auto common = static_cast<std::size_t>(std::ranges::count_if(versus.pairs, &Pair::is_common));
  const Comparability comparability = decide_comparability(metric, counts, common);
  return {{pair_name(versus)},
          {to_string(metric)},
          {to_string(comparability), {}, "", kTones[static_cast<std::size_t>(comparability)]},
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
  const std::vector<BaselineComparison>& all = comparison.versus_baseline;
  if (all.empty()) {
    return {
        caution("There is nothing to compare: name two result files, or one of a machine with two devices.")};
  }
  if (all.size() > kMostDetailed) return {summary_of_many(comparison)};
  std::vector<Paragraph> summary;
  for (const BaselineComparison& versus : all) {
    summary.push_back(time_verdict(versus));
    append(summary, energy_verdict(versus));
  }
  summary.push_back(coverage(comparison));
  for (const BaselineComparison& versus : all) {
    if (are_operations(comparison)) append(summary, unpaired_rows(versus));
    append(summary, describe_comparability(versus));
  }
  return summary;
}

Table verdict_table(const Comparison& comparison) {
  Table table{"", {{"pair"}, {"figure"}, {"verdict"}, {"because"}}, {}, {}};
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    if (!has_common_row(versus)) continue;
    const auto counts = difference_counts(versus);
    for (const Metric metric : kAllMetrics) table.rows.push_back(verdict_row(metric, versus, counts));
  }
  if (comparison.is_forced) table.notes.push_back("Refused figures are shown all the same: --unlike.");
  return table;
}

}  // namespace gpubench
