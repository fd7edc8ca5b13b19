#include <algorithm>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "pages/comparison/sections.h"
#include "pages/format.h"

namespace gpubench {
namespace {

struct Wording {
  const char* start;     ///< Of sentences: "Energy: ".
  const char* verb;      ///< Of a single side: "trains".
  const char* measured;  ///< Instead of the verb where it may be chance.
  const char* relation;  ///< "times as fast as".
  const char* equal;     ///< Of both sides: "are equally fast".
  bool is_of_worse;      ///< The worse side has more of it, and is the subject.
};

constexpr Wording kTrainings{"", "trains", "was measured", "times as fast as", "are equally fast", false};
constexpr Wording kCalls{"", "is", "was measured", "times as fast as", "are equally fast", false};
constexpr Wording kEnergies{"Energy: ",         "needs",         "was measured to need",
                            "times as much as", "need the same", true};

/// "geometric mean of 12 cases, 1.2 to 3.4 by case"
std::string format_evidence(const std::vector<RowRatio>& rows, bool is_inverse, const std::string& noun) {
  if (rows.size() < 2) return counted(rows.size(), noun);
  const std::vector<double> ratios =
      mapped(rows, [&](const RowRatio& row) { return is_inverse ? 1 / row.ratio.value : row.ratio.value; });
  const auto [least, most] = std::ranges::minmax(ratios);
  return fmt::format("geometric mean of {}, {} to {} by {}", counted(rows.size(), noun), figure_text(least),
                     figure_text(most), noun);
}

std::string behind(const std::string& separator, const std::string& text) {
  return text.empty() ? "" : separator + text;
}

/// The verdict on ratios, at least one; sides are called by `name`.
Paragraph describe_ratios(const BaselineComparison& versus, const std::vector<RowRatio>& rows,
                          const Wording& wording, std::string (*name)(const Candidate&)) {
  Estimate mean = compute_mean(rows);
  const double margin = compute_margin(*versus.base, *versus.other);
  const Outcome outcome = decide_outcome(mean, margin);
  const bool is_inverse = mean.value < 1;
  if (is_inverse) mean = compute_rate(1, mean);
  std::string subject = name(is_inverse == wording.is_of_worse ? *versus.other : *versus.base);
  std::string object = name(is_inverse == wording.is_of_worse ? *versus.base : *versus.other);
  const std::string times = figure_text(mean.value);
  const std::string range = interval_text(mean);
  const std::string evidence =
      format_evidence(rows, is_inverse, has_operations(*versus.base) ? "row" : "case");
  const std::string advice = behind("; ", advise(versus, mean.interval.has_value()));
  std::string text;
  if (outcome == Outcome::kUnknown) {
    text = fmt::format("{}{} {} {} {} {} ({}; {}{}).", wording.start, subject, wording.measured, times,
                       wording.relation, object, evidence, mean.interval.reason(), advice);
  } else if (outcome == Outcome::kUndecided) {
    text = fmt::format(
        "{}Undecided: cannot tell {} and {} apart; the first {} {} {} the other, measured {} ({}{}).",
        wording.start, subject, object, wording.verb, range, wording.relation, times, evidence, advice);
  } else if (outcome == Outcome::kEqual) {
    text = fmt::format("{}{} and {} {} within {}: ratio {}, {} ({}).", wording.start, subject, object,
                       wording.equal, percent_text(margin), times, range, evidence);
  } else {
    text = fmt::format("{}{} {} {} {} {} (95 % interval {}; {}).", wording.start, subject, wording.verb,
                       times, wording.relation, object, range, evidence);
  }
  return {text, outcome == Outcome::kUnknown ? Tone::kWarning : Tone::kPlain};
}

Paragraph describe_times(const BaselineComparison& versus) {
  const std::vector<RowRatio> rows = row_ratios(versus);
  const bool is_of_ops = has_operations(*versus.base);
  if (!rows.empty()) return describe_ratios(versus, rows, is_of_ops ? kCalls : kTrainings, named);
  const auto pair = std::ranges::find_if(versus.pairs, &Pair::is_common);
  const std::string noun = is_of_ops ? "row" : "case";
  return caution("{} and {} have no {} whose times compare: {}.", named(*versus.base), named(*versus.other),
                 noun,
                 pair == versus.pairs.end() ? "no " + noun + " in common" : speed_ratio(*pair).reason());
}

/// Returns no paragraph if no case has energies on both sides.
std::vector<Paragraph> describe_energies(const BaselineComparison& versus) {
  const std::vector<RowRatio> rows = row_ratios(versus, kEnergy);
  const auto label = [](const Candidate& candidate) { return candidate.label; };
  if (!rows.empty()) return {{describe_ratios(versus, rows, kEnergies, label).text}};
  const auto pair = std::ranges::find_if(versus.pairs, &Pair::has_energies);
  if (pair == versus.pairs.end()) return {};
  return {caution("Energy: {} and {} have no case whose energies compare ({}).", versus.base->label,
                  versus.other->label, compute_ratio(kEnergy, *pair).reason())};
}

/// "1.41 times as fast as node (1.33 to 1.47)"
std::string format_lead(const Estimate& lead, const Candidate& behind_it) {
  const std::string range = interval_text(lead);
  return fmt::format("{} times as fast as {}{}", figure_text(lead.value), behind_it.name,
                     range.empty() ? "" : " (" + range + ")");
}

/// Machines that share the first rank.
std::vector<std::string> list_first(const Ranking& ranking) {
  std::vector<std::string> first;
  for (const RankedMachine& machine : ranking.machines) {
    if (machine.rank == 1) first.push_back(machine.candidate->name);
  }
  return first;
}

/// Returns the leads over the baseline, or over all machines of lower rank.
std::string format_leads(const Ranking& ranking) {
  constexpr std::size_t kMostLeads = 3;
  const RankedMachine& first = ranking.machines.front();
  std::vector<std::string> leads;
  for (const RankedMachine& machine : ranking.machines) {
    if (machine.rank == 1) continue;
    if (ranking.reference == first.candidate)
      leads.push_back(format_lead(compute_rate(1, machine.relative), *machine.candidate));
    else if (ranking.reference == machine.candidate)
      leads.push_back(format_lead(first.relative, *machine.candidate));
  }
  if (leads.size() > kMostLeads + 1) {
    leads[kMostLeads] = fmt::format("and so on for {} more", leads.size() - kMostLeads);
    leads.resize(kMostLeads + 1);
  }
  return join(leads, "; ");
}

/// Returns why the order may be chance or ranks are shared, and what helps.
std::string format_doubt(const Ranking& ranking, const Comparison& comparison) {
  const BaselineComparison& versus = comparison.versus_baseline.front();
  if (ranking.machines.front().is_certain)
    return list_first(ranking).size() > 1 ? advise(versus, /*has_interval=*/true) : "";
  for (const RankedMachine& machine : ranking.machines) {
    const std::string& why = machine.relative.interval.reason();
    if (!why.empty()) return why + behind("; ", advise(versus, /*has_interval=*/false));
  }
  return "";
}

/// "desk is the fastest", or which machines are.
std::string format_fastest(const Ranking& ranking) {
  const std::vector<std::string> first = list_first(ranking);
  if (first.size() == ranking.machines.size()) return join_all(first) + " cannot be told apart";
  if (first.size() > 1) return join_all(first) + " are the fastest and cannot be told apart";
  return first.front() + (ranking.machines.front().is_certain ? " is the fastest" : " was measured fastest");
}

}  // namespace

std::string join_all(std::vector<std::string> names) {
  if (names.size() < 2) return join(names);
  const std::string last = names.back();
  names.pop_back();
  return join(names) + " and " + last;
}

std::vector<Paragraph> describe_verdict(const BaselineComparison& versus) {
  std::vector<Paragraph> verdict = {describe_times(versus)};
  append(verdict, describe_energies(versus));
  return verdict;
}

std::string advise(const BaselineComparison& versus, bool has_interval) {
  const Measuring measuring = find_measuring(*versus.base, *versus.other);
  const bool is_one_host = versus.base->host == versus.other->host;
  if (versus.base->published || versus.other->published) return "";
  if (measuring == Measuring::kAlternation) return "more rounds decide it";
  if (!has_interval)
    return std::string("use --repeat 5 on all sides") + (is_one_host ? ", or 'gpubench ab'" : "");
  if (measuring == Measuring::kMixed) return "more repeats help";
  return is_one_host ? "'gpubench ab' detects smaller differences" : "repeat both on idle machines";
}

std::vector<Paragraph> describe_ranking(const Ranking& ranking, const Comparison& comparison) {
  const std::string evidence =
      fmt::format("geometric mean of {}", counted(ranking.cases, row_noun(comparison)));
  std::vector<std::string> remarks = {ranking.cases > 1 ? evidence : "", format_doubt(ranking, comparison)};
  std::erase(remarks, "");
  const std::string remark = remarks.empty() ? "" : " (" + join(remarks, "; ") + ")";
  std::vector<Paragraph> answer = {
      {format_fastest(ranking) + behind(": ", format_leads(ranking)) + remark + ".",
       ranking.machines.front().is_certain ? Tone::kPlain : Tone::kWarning}};
  std::vector<std::pair<double, std::string>> costs;
  for (const RankedMachine& machine : ranking.machines) {
    if (const auto cost = cost_per_million(machine))
      costs.emplace_back(*cost, machine.candidate->name + " " + figure_text(*cost));
  }
  std::ranges::sort(costs);
  if (costs.empty()) return answer;
  const auto texts = mapped(costs, &std::pair<double, std::string>::second);
  answer.push_back({"Cost of a million samples, the cheapest first: " + counted(texts) + "."});
  return answer;
}

}  // namespace gpubench
