#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/utf8.h"
#include "pages/comparison/sections.h"
#include "pages/format.h"

namespace gpubench {
namespace {

/// Parts of sentences about a metric.
struct Wording {
  const ComparedMetric& metric;
  const char* start;     ///< Start of the sentence: "Energy: ".
  const char* figures;   ///< Plural of the metric: "times".
  const char* verb;      ///< Verb of a verdict: "trains".
  const char* measured;  ///< Verb without an interval: "was measured".
  const char* relation;  ///< Relation to the other side: "times as fast as".
  const char* equal;     ///< Predicate for both sides: "are equally fast".

  bool is_of_times() const { return metric.metric == Metric::kTime; }
};

Wording time_wording(bool is_of_ops) {
  const char* const verb = is_of_ops ? "is" : "trains";
  return {kSpeed, "", "times", verb, "was measured", "times as fast as", "are equally fast"};
}

const Wording kEnergies{
    kEnergy, "Energy: ", "energies", "needs", "was measured to need", "times as much as", "need the same"};

/// Returns "geometric mean of 12 cases, 1.2 to 3.4 by case".
std::string format_evidence(const std::vector<RowRatio>& rows, bool is_inverse, const std::string& noun) {
  if (rows.size() < 2) return counted(rows.size(), noun);
  const std::vector<double> ratios =
      mapped(rows, [&](const RowRatio& row) { return is_inverse ? 1 / row.ratio.value : row.ratio.value; });
  const auto [least, most] = std::ranges::minmax(ratios);
  return fmt::format("geometric mean of {}, {} to {} by {}", counted(rows.size(), noun), figure_text(least),
                     figure_text(most), noun);
}

/// Returns the full name of a side in the sentence on times, which is the first, else its label.
std::string name_side(const Candidate& side, const Wording& wording) {
  return wording.is_of_times() ? named(side) : side.label;
}

Paragraph describe_ratios(const BaselineComparison& versus, const std::vector<RowRatio>& rows,
                          const Wording& wording) {
  Estimate mean = compute_mean(rows);
  const double margin = compute_margin(*versus.base, *versus.other);
  const Outcome outcome = decide_outcome(mean, margin);
  const bool is_inverse = mean.value < 1;
  if (is_inverse) mean = compute_rate(1, mean);
  // The subject is the faster side, or the side that needs more energy.
  std::string subject = name_side(*versus.other, wording);
  std::string object = name_side(*versus.base, wording);
  if (is_inverse == wording.is_of_times()) std::swap(subject, object);
  const std::string times = figure_text(mean.value);
  const std::string range = interval_text(mean);
  const std::string evidence =
      format_evidence(rows, is_inverse, has_operations(*versus.base) ? "row" : "case");
  const std::string advice = prepend_if_any("; ", advise(versus, mean.interval.has_value()));
  std::string text;
  if (outcome == Outcome::kUnknown) {
    text = fmt::format("{} {} {} {} {} ({}; {}{}).", subject, wording.measured, times, wording.relation,
                       object, evidence, mean.interval.reason(), advice);
  } else if (outcome == Outcome::kUndecided) {
    text = fmt::format("Inconclusive: {} {} {} {} {} (95 % interval {}; {}{}).", subject, wording.measured,
                       times, wording.relation, object, range, evidence, advice);
  } else if (outcome == Outcome::kEqual) {
    text = fmt::format("{} and {} {} within {}: ratio {}, {} ({}).", subject, object, wording.equal,
                       percent_text(margin), times, range, evidence);
  } else {
    text = fmt::format("{} {} {} {} {} (95 % interval {}; {}).", subject, wording.verb, times,
                       wording.relation, object, range, evidence);
  }
  return {wording.start + text, outcome == Outcome::kUnknown ? Tone::kWarning : Tone::kPlain};
}

/// Returns the sentence on a metric; nothing on energy if no case has it on both sides.
std::vector<Paragraph> describe_metric(const BaselineComparison& versus, const Wording& wording) {
  const std::vector<RowRatio> rows = row_ratios(versus, wording.metric);
  if (!rows.empty()) return {describe_ratios(versus, rows, wording)};
  const bool is_of_times = wording.is_of_times();
  const auto pair = std::ranges::find_if(versus.pairs, is_of_times ? &Pair::is_common : &Pair::has_energies);
  const bool has_pair = pair != versus.pairs.end();
  if (!has_pair && !is_of_times) return {};
  const std::string noun = has_operations(*versus.base) ? "row" : "case";
  return {caution("{}{} and {} have no {} with comparable {}: {}.", wording.start,
                  name_side(*versus.base, wording), name_side(*versus.other, wording), noun, wording.figures,
                  has_pair ? compute_ratio(wording.metric, *pair).reason() : "no " + noun + " in common")};
}

std::vector<std::string> list_first(const Ranking& ranking) {
  std::vector<std::string> first;
  for (const RankedMachine& machine : ranking.machines) {
    if (machine.rank == 1) first.push_back(machine.candidate->name);
  }
  return first;
}

/// Returns the lead over the baseline, or else over the next machine: "1.41 times as fast as node (1.33
/// to 1.47)".
std::string format_lead(const Ranking& ranking) {
  const RankedMachine& first = ranking.machines.front();
  for (const RankedMachine& machine : ranking.machines) {
    const bool is_reference = machine.candidate == ranking.reference;
    if (machine.rank == 1 || (!is_reference && first.candidate != ranking.reference)) continue;
    const Estimate lead = is_reference ? first.relative : compute_rate(1, machine.relative);
    const std::string range = interval_text(lead);
    return fmt::format("{} times as fast as {}{}", figure_text(lead.value), machine.candidate->name,
                       range.empty() ? "" : " (" + range + ")");
  }
  return "";
}

/// Returns the reason for an uncertain ranking, and how to decide it; empty for a certain one.
std::string format_doubt(const Ranking& ranking, const Comparison& comparison) {
  const BaselineComparison& versus = comparison.versus_baseline.front();
  if (ranking.machines.front().is_certain)
    return list_first(ranking).size() > 1 ? advise(versus, /*has_interval=*/true) : "";
  for (const RankedMachine& machine : ranking.machines) {
    const std::string& why = machine.relative.interval.reason();
    if (!why.empty()) return why + prepend_if_any("; ", advise(versus, /*has_interval=*/false));
  }
  return "";
}

/// Returns "desk is the fastest", or the machines that share the first rank.
std::string format_fastest(const Ranking& ranking) {
  const std::vector<std::string> first = list_first(ranking);
  if (first.size() == ranking.machines.size()) return "No significant difference between " + join_all(first);
  if (first.size() > 1) return join_all(first) + " are the fastest, without a significant difference";
  return first.front() + (ranking.machines.front().is_certain ? " is the fastest" : " was measured fastest");
}

/// A difference with all its values, over the pairs of all machines.
struct MergedDifference {
  std::string what;
  bool is_refused = false;
  std::size_t cases = 0;  ///< Maximum number of affected cases of a pair; 0 for a difference of machines.
  std::map<const Candidate*, std::vector<std::string>> values{};  ///< In the order of the comparison.
};

/// Returns the differences that affect times or energies, first those that prevent a comparison.
std::vector<MergedDifference> merge_differences(const Comparison& comparison) {
  std::vector<MergedDifference> merged;
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    const bool has_energies = std::ranges::any_of(versus.pairs, &Pair::has_energies);
    for (const auto& [difference, rows] : difference_counts(versus)) {
      const Comparability effect =
          std::max(difference.on(Metric::kTime),
                   has_energies ? difference.on(Metric::kEnergy) : Comparability::kComparable);
      // Publications and ranked precisions have texts of their own.
      const bool is_reported =
          difference.what == "protocol" || (is_ranking(comparison) && difference.what == "precision");
      if (effect == Comparability::kComparable || is_reported) continue;
      auto one = std::ranges::find(merged, difference.what, &MergedDifference::what);
      if (one == merged.end()) one = merged.insert(one, {difference.what});
      one->is_refused = one->is_refused || effect == Comparability::kRefused;
      one->cases = std::max(one->cases, rows);
      for (const Candidate& other : comparison.candidates) {
        const std::string value = find_condition(other, difference.what);
        if (rows == 0 && !value.empty()) add_once(one->values[&other], value);
      }
      add_once(one->values[versus.base], difference.left);
      add_once(one->values[versus.other], difference.right);
    }
  }
  std::stable_partition(merged.begin(), merged.end(),
                        [](const MergedDifference& one) { return one.is_refused; });
  return merged;
}

std::string list_holders(const MergedDifference& difference, const std::string& value,
                         const Comparison& comparison) {
  std::vector<std::string> names;
  for (const auto& [candidate, values] : difference.values) {
    if (std::ranges::find(values, value) != values.end()) names.push_back(short_name(*candidate, comparison));
  }
  return join(names);
}

/// Returns "A 1, B 2"; long values are cut.
std::string list_values(const MergedDifference& difference, const Comparison& comparison) {
  constexpr std::size_t kLongest = 24;
  std::vector<std::string> parts;
  for (const auto& [candidate, values] : difference.values) {
    const std::string text = plain_text(join(values, "/"));
    const std::string_view start = fitting(text, kLongest);
    parts.push_back(fmt::format("{} {}{}", short_name(*candidate, comparison), start,
                                start.size() < text.size() ? "…" : ""));
  }
  return join(parts);
}

std::string describe(const MergedDifference& difference, const Comparison& comparison) {
  const auto holders = [&](const char* value) { return list_holders(difference, value, comparison); };
  if (difference.what == "order of measuring")
    return fmt::format("{} ran before {}, so drift may bias the ratios; use 'gpubench ab' to interleave",
                       holders("ran first"), holders("ran afterwards"));
  if (difference.what == "disturbed")
    return "Disturbed during measurement (load, heat or sleep): " + holders("yes");
  if (difference.what == "stable times") return "Epoch times not stable: " + holders("no");
  const std::vector<std::string>& first = difference.values.begin()->second;
  if (std::ranges::all_of(difference.values, [&](const auto& one) { return one.second == first; })) {
    if (first.front() == kAnotherProgram) return "Times come from another program, not from gpubench";
    return fmt::format("Applies to all: {} {}", difference.what, join(first, "/"));
  }
  const std::string text =
      fmt::format("ifferent {}: {}", difference.what, list_values(difference, comparison));
  if (!difference.is_refused) return "D" + text;
  return (comparison.is_forced ? "Compared because of --unlike: d" : "Not compared: d") + text;
}

/// Returns "A failed in 1 of 4 cases: cnn, batch 1024 (oom)" for each candidate with failures.
std::vector<std::string> describe_failed(const Comparison& comparison) {
  const RowNames names(make_identities(comparison.candidates));
  std::vector<std::string> all;
  for (const Candidate& candidate : comparison.candidates) {
    std::vector<std::string> failed;
    for (const RowFigures& row : candidate.rows) {
      if (!row.is_ok)
        failed.push_back(fmt::format("{} ({})", names.of(row.identity.without({"device"})), row.status));
    }
    if (failed.empty()) continue;
    const std::size_t count = failed.size();
    if (count > 2) failed = {failed[0], fmt::format("and {} more", count - 1)};
    all.push_back(fmt::format("{} failed in {} of {}: {}", short_name(candidate, comparison), count,
                              counted(candidate.rows.size(), row_noun(comparison)), join(failed, ", ")));
  }
  return all;
}

/// Returns "1 case only in B" for each side with unpaired cases.
std::vector<std::string> describe_unpaired(const Comparison& comparison) {
  std::vector<std::string> all;
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    if (!has_common_row(versus)) continue;
    for (const auto& [candidate, side] :
         {std::pair{versus.base, &Pair::base}, {versus.other, &Pair::other}}) {
      const auto unpaired = std::ranges::count_if(
          versus.pairs, [row = side](const Pair& pair) { return !pair.is_common() && pair.*row != nullptr; });
      if (unpaired > 0)
        add_once(all, fmt::format("{} only in {}",
                                  counted(static_cast<std::size_t>(unpaired), row_noun(comparison)),
                                  short_name(*candidate, comparison)));
    }
  }
  return all;
}

std::vector<std::string> describe_publications(const Comparison& comparison) {
  std::map<std::string, std::vector<std::string>> labels;
  for (const Candidate& one : comparison.candidates) {
    if (one.published) labels[one.published->title].push_back(short_name(one, comparison));
  }
  return mapped(labels, [](const auto& entry) {
    return fmt::format("{}: published figures, different protocol, not verified: {}", join(entry.second),
                       entry.first);
  });
}

}  // namespace

std::string join_all(std::vector<std::string> names) {
  if (names.size() < 2) return join(names);
  const std::string last = names.back();
  names.pop_back();
  return join(names) + " and " + last;
}

std::vector<Paragraph> describe_verdict(const BaselineComparison& versus) {
  std::vector<Paragraph> verdict = describe_metric(versus, time_wording(has_operations(*versus.base)));
  append(verdict, describe_metric(versus, kEnergies));
  return verdict;
}

std::string describe_noise(const BaselineComparison& versus) {
  std::vector<RowRatio> rows = row_ratios(versus);
  std::erase_if(rows, [](const RowRatio& row) { return row.noise_arm == 0; });
  if (rows.empty()) return "";
  const auto percent = [](const RowRatio& row) { return percent_text(std::expm1(row.noise_arm)); };
  const auto runs = [](const RowRatio& row) {
    const auto& [over, under] = std::pair{row.over->noise, row.under->noise};
    return over && under ? std::min(over->runs, under->runs) : over ? over->runs : under->runs;
  };
  const auto range = [](const std::string& least, const std::string& most) {
    return least == most ? most : least + " to " + most;
  };
  const auto [calm, loud] = std::ranges::minmax_element(rows, {}, &RowRatio::noise_arm);
  const std::vector<std::int64_t> counts = mapped(rows, runs);
  const std::string count =
      range(std::to_string(std::ranges::min(counts)), std::to_string(std::ranges::max(counts)));
  const std::string far = range(percent(*calm), percent(*loud));
  if (rows.front().measuring == Measuring::kHistory)
    return fmt::format("{}: median of {} earlier runs; 95 % of new runs are within {} of it",
                       (versus.base->is_of_history ? versus.base : versus.other)->label, count, far);
  const RowNames names(mapped(versus.pairs, [](const Pair& pair) { return pair.any().identity; }));
  const bool is_one_host = versus.base->host == versus.other->host;
  return fmt::format("Day-to-day variation{} on {}: up to {} (95 %, {} runs)",
                     rows.size() == 1 ? " of " + names.of(rows.front().base.figures->identity) : "",
                     is_one_host ? "this machine" : "such machines", far, count);
}

std::string advise(const BaselineComparison& versus, bool has_interval) {
  const Measuring measuring = find_measuring(*versus.base, *versus.other);
  const bool is_one_host = versus.base->host == versus.other->host;
  if (versus.base->published || versus.other->published) return "";
  if (measuring == Measuring::kInterleaved) return "use more rounds";
  if (measuring == Measuring::kHistory)
    return has_interval ? "'gpubench ab' detects smaller differences" : "";
  if (!has_interval)
    return std::string("use --repeat 5 on all sides") + (is_one_host ? ", or 'gpubench ab'" : "");
  if (measuring == Measuring::kMixed) return "use more repeats";
  return is_one_host ? "'gpubench ab' detects smaller differences" : "repeat both on idle machines";
}

std::vector<Paragraph> describe_ranking(const Ranking& ranking, const Comparison& comparison) {
  const std::string evidence =
      fmt::format("geometric mean of {}", counted(ranking.cases, row_noun(comparison)));
  std::vector<std::string> remarks = {ranking.cases > 1 ? evidence : "", format_doubt(ranking, comparison)};
  std::erase(remarks, "");
  const std::string remark = remarks.empty() ? "" : " (" + join(remarks, "; ") + ")";
  std::vector<Paragraph> answer = {
      {format_fastest(ranking) + prepend_if_any(": ", format_lead(ranking)) + remark + ".",
       ranking.machines.front().is_certain ? Tone::kPlain : Tone::kWarning}};
  std::vector<std::pair<double, std::string>> costs;
  for (const RankedMachine& machine : ranking.machines) {
    if (const auto cost = cost_per_million(machine))
      costs.emplace_back(*cost, machine.candidate->name + " " + figure_text(*cost));
  }
  std::ranges::sort(costs);
  if (costs.empty()) return answer;
  const auto texts = mapped(costs, &std::pair<double, std::string>::second);
  answer.push_back({"Cost per million samples, cheapest first: " + counted(texts) + "."});
  return answer;
}

std::vector<Paragraph> list_cautions(const Comparison& comparison) {
  std::vector<std::string> texts = describe_publications(comparison);
  for (const MergedDifference& difference : merge_differences(comparison)) {
    const std::string where =
        difference.cases == 0 ? "" : fmt::format(" ({})", counted(difference.cases, row_noun(comparison)));
    texts.push_back(describe(difference, comparison) + where);
  }
  const auto failed = describe_failed(comparison);
  texts.insert(texts.begin() + std::min<std::ptrdiff_t>(1, std::ssize(texts)), failed.begin(), failed.end());
  if (!is_ranking(comparison)) append(texts, describe_unpaired(comparison));
  return mapped(texts, [](const std::string& text) { return caution("{}.", text); });
}

}  // namespace gpubench
