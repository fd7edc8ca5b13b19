#include <algorithm>
#include <cctype>
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

/// Adjectives of "1.64 times as fast as", by MetricClass.
constexpr std::array kAdjectives = {"fast", "fast", "memory-efficient", "good", "energy-efficient", "fast"};

/// Returns "geometric mean of 12 cases, 1.2 to 3.4 by case".
std::string format_evidence(const std::vector<RowRatio>& rows, const std::string& noun) {
  if (rows.size() < 2) return counted(rows.size(), noun);
  const Summary ratios = summarize(ratio_values(rows));
  return fmt::format("geometric mean of {}, {} to {} by {}", counted(rows.size(), noun),
                     figure_text(ratios.min), figure_text(ratios.max), noun);
}

/// Returns the noun and a colon for a metric that is not the main one.
std::string format_topic(const Metric* metric) {
  if (metric == nullptr) return "";
  std::string noun = metric->noun();
  noun[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(noun[0])));
  return noun + ": ";
}

Paragraph describe_ratios(const CandidatePair& versus, const std::vector<RowRatio>& rows,
                          const Metric* metric) {
  const Estimate mean = compute_mean(rows);
  const Outcome outcome = decide_outcome(mean, versus.margin());
  const std::string topic = format_topic(metric);
  const std::string subject = metric == nullptr ? full_name(*versus.other) : versus.other->name;
  const std::string object = metric == nullptr ? full_name(*versus.base) : versus.base->name;
  const auto metric_class = static_cast<std::size_t>(rows.front().over->metric->use->metric_class);
  const std::string factor = figure_text(mean.value);
  const std::string ratio = fmt::format("{} times as {} as {}", factor, kAdjectives.at(metric_class), object);
  const std::string evidence = format_evidence(rows, has_operations(*versus.base) ? "row" : "case");
  const std::string range = "95 % interval " + interval_text(mean);
  // The tone of a certain answer is good, whatever it is.
  if (outcome == Outcome::kEqual)
    return {fmt::format("{}{} and {} are equal within {}: ratio {}, {} ({}).", topic, subject, object,
                        percent_text(versus.margin()), factor, range, evidence),
            Tone::kGood};
  if (outcome == Outcome::kBetter || outcome == Outcome::kWorse)
    return {fmt::format("{}{} is {} ({}; {}).", topic, subject, ratio, range, evidence), Tone::kGood};
  const bool has_interval = mean.interval.has_value();
  return caution("{}{}: {} was measured {} ({}; {}{}).", topic, has_interval ? "Inconclusive" : "Unknown",
                 subject, ratio, has_interval ? range : evidence,
                 has_interval ? evidence : mean.interval.reason(),
                 prepend_if_any("; ", advise(versus, has_interval)));
}

/// Returns the sentence on a metric. Null: the main metric.
std::vector<Paragraph> describe_metric(const CandidatePair& versus, const Metric* metric) {
  const std::vector<RowRatio> rows = row_ratios(versus, metric);
  if (!rows.empty()) return {describe_ratios(versus, rows, metric)};
  const auto pair = std::ranges::find_if(versus.pairs, &Pair::is_common);
  const std::string noun = has_operations(*versus.base) ? "row" : "case";
  const std::string why =
      pair == versus.pairs.end() ? "no " + noun + " in common" : find_ratio(metric, *pair).reason();
  std::vector<Paragraph> answer = {caution("{}{} and {} have no comparable {}: {}.", format_topic(metric),
                                           full_name(*versus.base), full_name(*versus.other), noun, why)};
  // Suggests a case of the publication, else of the baseline.
  const Candidate& known = versus.other->published ? *versus.other : *versus.base;
  const auto row = std::ranges::find(known.rows, true, &ComparedRow::is_ok);
  if (metric == nullptr && row != known.rows.end())
    answer.push_back({fmt::format("To measure a case of {} here: '{}'.", known.name, row->command)});
  return answer;
}

/// Returns "cloud is the fastest", or who may be.
std::string format_fastest(const Ranking& ranking) {
  std::vector<std::string> first;
  for (const RankedCandidate& one : ranking.candidates) {
    if (one.rank && one.rank->best == 1) first.push_back(one.candidate->name);
  }
  if (first.empty()) return ranking.candidates.front().candidate->name + " was measured fastest";
  if (first.size() == 1) return first.front() + " is the fastest";
  if (first.size() == ranking.candidates.size())
    return "No significant difference between " + join_all(first);
  return "The fastest is " + join(std::vector(first.begin(), first.end() - 1)) + " or " + first.back();
}

/// Returns "relative to desk: cloud 2.42 (2.2 to 2.7), laptop 0.61 (0.55 to 0.68)".
std::string format_ratios(const Ranking& ranking) {
  std::vector<std::string> parts;
  for (const RankedCandidate& one : ranking.candidates) {
    if (one.candidate == ranking.reference) continue;
    const std::string range = interval_text(one.relative);
    parts.push_back(fmt::format("{} {}{}", one.candidate->name, figure_text(one.relative.value),
                                range.empty() ? "" : " (" + range + ")"));
  }
  return "Speed relative to " + ranking.reference->name + ": " + counted(std::move(parts));
}

/// A difference with all its values, over the pairs of all machines.
struct MergedDifference {
  std::string what;
  bool is_refused = false;
  std::size_t cases = 0;  ///< Maximum number of affected cases of a pair; 0 for a difference of machines.
  std::map<const Candidate*, std::vector<std::string>> values{};  ///< In the order of the comparison.
};

bool has_energy(const Pair& pair) {
  return pair.is_common() && pair.base->estimate("mean_epoch_joules").has_value() &&
         pair.other->estimate("mean_epoch_joules").has_value();
}

/// Returns the differences that affect times or energies, first those that prevent a comparison.
std::vector<MergedDifference> merge_differences(const Comparison& comparison) {
  std::vector<MergedDifference> merged;
  for (const CandidatePair& versus : comparison.versus_baseline) {
    const bool has_energies = std::ranges::any_of(versus.pairs, has_energy);
    for (const auto& [difference, rows] : difference_counts(versus)) {
      const Comparability effect =
          std::max(difference.on(MetricClass::kTime),
                   has_energies ? difference.on(MetricClass::kEnergy) : Comparability::kComparable);
      // Publications have texts of their own.
      if (effect == Comparability::kComparable || difference.what == "protocol") continue;
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

/// Returns the names, or another text, of the candidates that have the value.
std::vector<std::string> list_holders(const MergedDifference& difference, const std::string& value,
                                      std::string Candidate::*text = &Candidate::name) {
  std::vector<std::string> texts;
  for (const auto& [candidate, values] : difference.values) {
    if (std::ranges::find(values, value) != values.end()) add_once(texts, candidate->*text);
  }
  return texts;
}

/// Returns "desk 1, laptop 2"; long values are cut.
std::string list_values(const MergedDifference& difference) {
  constexpr std::size_t kLongest = 24;
  std::vector<std::string> parts;
  for (const auto& [candidate, values] : difference.values) {
    const std::string text = plain_text(join(values, "/"));
    const std::string_view start = fitting(text, kLongest);
    parts.push_back(fmt::format("{} {}{}", candidate->name, start, start.size() < text.size() ? "…" : ""));
  }
  return join(parts);
}

std::string describe(const MergedDifference& difference, const Comparison& comparison) {
  const auto holders = [&](const char* value) { return join(list_holders(difference, value)); };
  if (difference.what == "order of measuring")
    return fmt::format("{} ran before {}, so drift may bias the ratios; use 'gpubench ab' to interleave",
                       holders("ran first"), holders("ran afterwards"));
  if (difference.what == "disturbed")
    return "Disturbed during measurement (load, heat or sleep): " + holders("yes");
  if (difference.what == kChangedFile) {
    const std::vector<std::string> files = list_holders(difference, "yes", &Candidate::file);
    return fmt::format(
        "content_sha256 does not match in {}: changed after the measurement; see 'gpubench file "
        "validate {}'",
        join_all(files), files.front());
  }
  if (difference.what == "stable times") return "Epoch times not stable: " + holders("no");
  const std::vector<std::string>& first = difference.values.begin()->second;
  if (std::ranges::all_of(difference.values, [&](const auto& one) { return one.second == first; })) {
    if (first.front() == kAnotherProgram) return "Times come from another program, not from gpubench";
    return fmt::format("Applies to all: {} {}", difference.what, join(first, "/"));
  }
  const std::string text = fmt::format("ifferent {}: {}", difference.what, list_values(difference));
  if (!difference.is_refused) return "D" + text;
  return (comparison.is_forced ? "Compared because of --unlike: d" : "Not compared: d") + text;
}

/// Returns "desk failed in 1 of 4 cases: cnn, batch 1024 (oom)" for each candidate with failures.
std::vector<std::string> describe_failed(const Comparison& comparison) {
  const RowNames names(make_identities(comparison.candidates));
  std::vector<std::string> all;
  for (const Candidate& candidate : comparison.candidates) {
    std::vector<std::string> failed;
    for (const ComparedRow& row : candidate.rows) {
      if (!row.is_ok) failed.push_back(fmt::format("{} ({})", names.of(row.identity), row.status));
    }
    if (failed.empty()) continue;
    const std::size_t count = failed.size();
    if (count > 2) failed = {failed[0], fmt::format("and {} more", count - 1)};
    all.push_back(fmt::format("{} failed in {} of {}: {}", candidate.name, count,
                              counted(candidate.rows.size(), row_noun(comparison)), join(failed, ", ")));
  }
  return all;
}

/// Returns "1 case only in desk" for each candidate with unpaired cases.
std::vector<std::string> describe_unpaired(const Comparison& comparison) {
  std::vector<std::string> all;
  for (const CandidatePair& versus : comparison.versus_baseline) {
    if (!has_common_row(versus)) continue;
    for (const Candidate* candidate : {versus.base, versus.other}) {
      const auto is_unpaired = [&](const Pair& pair) {
        return !pair.is_common() && (pair.base != nullptr) == (candidate == versus.base);
      };
      const auto count = static_cast<std::size_t>(std::ranges::count_if(versus.pairs, is_unpaired));
      if (count > 0) add_once(all, counted(count, row_noun(comparison)) + " only in " + candidate->name);
    }
  }
  return all;
}

/// Returns the cases that reach a worse quality than the baseline, beyond the margin and the scatter of
/// repeats.
std::vector<std::string> describe_quality(const Comparison& comparison) {
  const RowNames names(make_identities(comparison.candidates));
  std::vector<std::string> all;
  for (const CandidatePair& versus : comparison.versus_baseline) {
    for (const Metric* metric : all_metrics()) {
      if (metric->use->metric_class != MetricClass::kQuality) continue;
      std::vector<std::string> worse;
      for (const RowRatio& row : row_ratios(versus, metric)) {
        const Measured<Interval>& interval = row.ratio.interval;
        if (row.ratio.value < 1 / (1 + kLeastMargin) && (!interval.has_value() || interval.value().high < 1))
          worse.push_back(fmt::format("{} ({} times as good)", names.of(row.base.row->identity),
                                      figure_text(row.ratio.value)));
      }
      if (!worse.empty())
        all.push_back(fmt::format("Worse {} in {} than in {}: {}", metric->noun(), versus.other->name,
                                  versus.base->name, counted(std::move(worse))));
    }
  }
  return all;
}

std::vector<std::string> describe_publications(const Comparison& comparison) {
  std::map<std::string, std::vector<std::string>> names;
  for (const Candidate& one : comparison.candidates) {
    if (one.published) names[one.published->title].push_back(one.name);
  }
  return mapped(names, [](const auto& entry) {
    return fmt::format("{}: published values, different protocol, not verified: {}", join(entry.second),
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

std::vector<Paragraph> describe_verdict(const CandidatePair& versus, const Comparison& comparison) {
  std::vector<Paragraph> verdict;
  for (const Metric* metric : shown_metrics(comparison)) append(verdict, describe_metric(versus, metric));
  const Metric& energy = find_metric("mean_epoch_joules", "");
  if (comparison.metrics.empty() && std::ranges::any_of(versus.pairs, has_energy))
    append(verdict, describe_metric(versus, &energy));
  return verdict;
}

std::string describe_noise(const CandidatePair& versus) {
  std::vector<RowRatio> rows = row_ratios(versus);
  std::erase_if(rows, [](const RowRatio& row) { return row.noise_arm == 0; });
  if (rows.empty()) return "";
  const auto range = [](const std::string& least, const std::string& most) {
    return least == most ? most : least + " to " + most;
  };
  const auto [calm, loud] = std::ranges::minmax_element(rows, {}, &RowRatio::noise_arm);
  const auto counts = mapped(rows, [](const RowRatio& row) { return row.noise().value().runs; });
  return fmt::format(
      "{}: median of {} earlier runs; 95 % of new runs are within {} of it",
      (versus.base->is_history ? versus.base : versus.other)->name,
      range(std::to_string(std::ranges::min(counts)), std::to_string(std::ranges::max(counts))),
      range(percent_text(std::expm1(calm->noise_arm)), percent_text(std::expm1(loud->noise_arm))));
}

std::string advise(const CandidatePair& versus, bool has_interval) {
  const Measuring measuring = versus.measuring();
  const bool is_one_host = versus.base->host == versus.other->host;
  if (versus.is_published()) return "";
  if (measuring == Measuring::kInterleaved) return "use more rounds";
  if (measuring == Measuring::kHistory)
    return has_interval ? "'gpubench ab' detects smaller differences" : "";
  if (!has_interval)
    return std::string("use --repeat 5 on all machines") + (is_one_host ? ", or 'gpubench ab'" : "");
  if (measuring == Measuring::kMixed) return "use more repeats";
  return is_one_host ? "'gpubench ab' detects smaller differences" : "repeat both on idle machines";
}

std::vector<Paragraph> describe_ranking(const Ranking& ranking, const Comparison& comparison) {
  const RankedCandidate& first = ranking.candidates.front();
  std::vector<std::string> remarks;
  if (ranking.works.size() > 1)
    remarks.push_back("geometric mean of " + counted(ranking.works.size(), row_noun(comparison)));
  const bool is_open = !first.rank || first.rank->worst > 1;
  for (const RankedCandidate& one : ranking.candidates) {
    const std::string& why = one.relative.interval.reason();
    if (!why.empty()) add_once(remarks, why);
  }
  const std::string advice = advise(comparison.versus_baseline.front(), first.rank.has_value());
  if (is_open && !advice.empty()) remarks.push_back(advice);
  const std::string remark = remarks.empty() ? "" : " (" + join(remarks, "; ") + ")";
  std::vector<Paragraph> answer = {
      {format_fastest(ranking) + remark + ".", is_open ? Tone::kWarning : Tone::kGood},
      {format_ratios(ranking) + "."}};
  std::vector<std::pair<double, std::string>> costs;
  for (const RankedCandidate& one : ranking.candidates) {
    if (const auto cost = cost_per_million(one))
      costs.emplace_back(*cost, one.candidate->name + " " + figure_text(*cost));
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
  append(texts, describe_quality(comparison));
  if (!is_ranking(comparison)) append(texts, describe_unpaired(comparison));
  return mapped(texts, [](const std::string& text) { return caution("{}.", text); });
}

}  // namespace gpubench
