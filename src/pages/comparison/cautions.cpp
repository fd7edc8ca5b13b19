#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/utf8.h"
#include "pages/comparison/sections.h"
#include "pages/format.h"

namespace gpubench {
namespace {

/// A difference with all its values, over the pairs of all machines.
struct MergedDifference {
  std::string what;
  bool is_refused = false;
  std::size_t cases = 0;  ///< In which it occurs, at most; 0 for one of machines.
  /// Values of each machine, in the order of the comparison.
  std::vector<std::pair<const Candidate*, std::vector<std::string>>> values{};

  void add(const Candidate* candidate, const std::string& value) {
    auto entry = std::ranges::find(values, candidate, [](const auto& one) { return one.first; });
    if (entry == values.end()) entry = values.insert(entry, {candidate, {}});
    add_once(entry->second, value);
  }
};

/// Returns the differences that matter for times or shared energies, refused ones first, then by rule.
std::vector<MergedDifference> merge_differences(const Comparison& comparison) {
  std::vector<MergedDifference> merged;
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    const bool has_energies = std::ranges::any_of(versus.pairs, &Pair::has_energies);
    for (const auto& [difference, rows] : difference_counts(versus)) {
      const Comparability effect =
          std::max(difference.on(Metric::kTime),
                   has_energies ? difference.on(Metric::kEnergy) : Comparability::kComparable);
      // Publications have a caution of their own, and rankings of precisions a note.
      const bool is_said =
          difference.what == "protocol" || (is_ranking(comparison) && difference.what == "precision");
      if (effect == Comparability::kComparable || is_said) continue;
      auto one = std::ranges::find(merged, difference.what, &MergedDifference::what);
      if (one == merged.end()) one = merged.insert(one, {difference.what});
      one->is_refused = one->is_refused || effect == Comparability::kRefused;
      one->cases = std::max(one->cases, rows);
      for (const Candidate& other : comparison.candidates) {
        const std::string value = find_condition(other, difference.what);
        if (rows == 0 && !value.empty()) one->add(&other, value);
      }
      one->add(versus.base, difference.left);
      one->add(versus.other, difference.right);
    }
  }
  std::stable_partition(merged.begin(), merged.end(),
                        [](const MergedDifference& one) { return one.is_refused; });
  return merged;
}

/// "A, B" for the machines that have the value.
std::string list_holders(const MergedDifference& difference, const std::string& value,
                         const Comparison& comparison) {
  std::vector<std::string> names;
  for (const auto& [candidate, values] : difference.values) {
    if (std::ranges::find(values, value) != values.end()) names.push_back(short_name(*candidate, comparison));
  }
  return join(names);
}

/// "A 1, B 2"; long values are cut.
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
    return fmt::format("{} ran before {}, and machines change; 'gpubench ab' measures in turns",
                       holders("ran first"), holders("ran afterwards"));
  if (difference.what == "disturbed")
    return "Disturbed while measuring (load, heat or sleep): " + holders("yes");
  if (difference.what == "stable times") return "Epoch times were still changing: " + holders("no");
  const std::vector<std::string>& first = difference.values.front().second;
  if (std::ranges::all_of(difference.values, [&](const auto& one) { return one.second == first; })) {
    if (first.front() == kAnotherProgram) return "Times are those that another program reports";
    return fmt::format("Doubtful on all sides: {} {}", difference.what, join(first, "/"));
  }
  const std::string text =
      fmt::format("ifferent {}: {}", difference.what, list_values(difference, comparison));
  if (!difference.is_refused) return "D" + text;
  return (comparison.is_forced ? "Compared by --unlike: d" : "Not compared: d") + text;
}

/// "A failed in 1 of 4 cases: cnn, batch 1024 (oom)"
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

/// "Only B has 1 case more"
std::vector<std::string> describe_unpaired(const Comparison& comparison) {
  std::vector<std::string> all;
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    if (!has_common_row(versus)) continue;
    for (const auto& [candidate, side] :
         {std::pair{versus.base, &Pair::base}, {versus.other, &Pair::other}}) {
      const auto lonely = std::ranges::count_if(
          versus.pairs, [row = side](const Pair& pair) { return !pair.is_common() && pair.*row != nullptr; });
      if (lonely > 0)
        add_once(all, fmt::format("Only {} has {} more", short_name(*candidate, comparison),
                                  counted(static_cast<std::size_t>(lonely), row_noun(comparison))));
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
    return fmt::format("{}: published, other protocol, not verified: {}", join(entry.second), entry.first);
  });
}

}  // namespace

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
