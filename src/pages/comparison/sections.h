#pragma once
// Parts of comparison pages. Tables without content have no rows.

#include <cstddef>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "compare/conclusions.h"
#include "gpubench/record/page.h"
#include "pages/sections.h"

namespace gpubench {

/// Maximum number of candidates whose cases are shown.
inline constexpr std::size_t kMostDetailed = 8;

bool has_operations(const Candidate& one);
bool are_operations(const Comparison& comparison);

/// Returns "case", or "row" for operations.
std::string row_noun(const Comparison& comparison);

bool has_common_row(const BaselineComparison& versus);

/// Returns whether machines are ranked: more than two candidates, or any price. Otherwise two are compared.
bool is_ranking(const Comparison& comparison);

const std::string& short_name(const Candidate& candidate, const Comparison& comparison);

/// Returns "a, b and c".
std::string join_all(std::vector<std::string> names);

/// Returns which side is faster and, if energies are known, which needs less energy.
std::vector<Paragraph> describe_verdict(const BaselineComparison& versus);
/// Returns which machine is the fastest and, if prices are known, the cheapest.
std::vector<Paragraph> describe_ranking(const Ranking& ranking, const Comparison& comparison);
/// Returns advice for a narrower interval: "use --repeat 5 on all sides"; empty for publications.
std::string advise(const BaselineComparison& versus, bool has_interval);

/// Returns a note on the day-to-day variation from the store; empty if no interval includes it.
std::string describe_noise(const BaselineComparison& versus);

/// Returns a row per case with times, ratios and verdict; without details only the first cases.
Table case_table(const BaselineComparison& versus, bool is_detailed);
Table ranking_table(const Ranking& ranking, const Comparison& comparison);
/// Returns explanations of the rankings, and the machines without a rank.
std::vector<Paragraph> ranking_notes(const std::vector<Ranking>& rankings, const Comparison& comparison);

/// Returns cautions, merged over cases and machines, the most important first.
std::vector<Paragraph> list_cautions(const Comparison& comparison);

Table model_table(const Comparison& comparison);
Table difference_table(const BaselineComparison& versus);
Table failure_table(const Comparison& comparison);
Table machine_table(const Comparison& comparison);

}  // namespace gpubench
