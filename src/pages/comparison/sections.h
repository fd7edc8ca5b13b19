#pragma once
// Parts of pages of comparisons. Tables are without rows where there is nothing to say.

#include <cstddef>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "compare/conclusions.h"
#include "gpubench/record/page.h"
#include "pages/sections.h"

namespace gpubench {

/// Maximum number of comparisons with the baseline whose cases are shown.
inline constexpr std::size_t kMostDetailed = 8;

bool has_operations(const Candidate& one);
bool are_operations(const Comparison& comparison);

/// "case"; of operations "row".
std::string row_noun(const Comparison& comparison);

bool has_common_row(const BaselineComparison& versus);

/// Returns whether machines are ranked: more than two, or prices. Otherwise two sides are compared.
bool is_ranking(const Comparison& comparison);

const std::string& short_name(const Candidate& candidate, const Comparison& comparison);

/// "a, b and c"
std::string join_all(std::vector<std::string> names);

/// Returns which side is faster, and which needs less energy where that is known.
std::vector<Paragraph> describe_verdict(const BaselineComparison& versus);
/// Returns which machine is the fastest, and the cheapest where prices are known.
std::vector<Paragraph> describe_ranking(const Ranking& ranking, const Comparison& comparison);
/// Returns the next step to decide: "use --repeat 5 on both sides"; empty where nothing does.
std::string advise(const BaselineComparison& versus, bool has_interval);

/// Returns how far equal runs lie apart by the store, a sentence; empty where no interval holds that.
std::string describe_noise(const BaselineComparison& versus);

/// Returns a row per case. Above the details: times, ratios and the verdict of the first ones.
Table case_table(const BaselineComparison& versus, bool is_detailed);
Table ranking_table(const Ranking& ranking, const Comparison& comparison);
/// Explains ranks and precisions where rankings need it, and names machines that are in none.
std::vector<Paragraph> ranking_notes(const std::vector<Ranking>& rankings, const Comparison& comparison);

/// Returns reasons against trusting the comparison, merged over cases and machines, most important first.
std::vector<Paragraph> list_cautions(const Comparison& comparison);

Table model_table(const Comparison& comparison);
Table difference_table(const BaselineComparison& versus);
Table failure_table(const Comparison& comparison);
Table machine_table(const Comparison& comparison);

}  // namespace gpubench
