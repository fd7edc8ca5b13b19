#pragma once
// Parts of comparison pages. Tables without content have no rows.

#include <cstddef>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "compare/gate.h"
#include "compare/ranking.h"
#include "gpubench/record/page.h"
#include "pages/sections.h"

namespace gpubench {

/// Maximum number of candidates whose cases are shown.
inline constexpr std::size_t kMostDetailed = 8;

bool has_operations(const Candidate& one);
bool are_operations(const Comparison& comparison);

/// Returns "case", or "row" for operations.
std::string row_noun(const Comparison& comparison);

bool has_common_row(const CandidatePair& versus);

/// Returns whether candidates are ranked: more than two, or any price. Otherwise two are compared.
bool is_ranking(const Comparison& comparison);

/// Returns the metrics to show: those that the user chose, else null for the main metric of each case.
std::vector<const Metric*> shown_metrics(const Comparison& comparison);

/// Returns null for the main metric, then the other metrics that any pair has a ratio of.
std::vector<const Metric*> compared_metrics(const Comparison& comparison);

/// Returns "a, b and c".
std::string join_all(std::vector<std::string> names);

/// Returns the sentences on the shown metrics and, if energies are known, on energy.
std::vector<Paragraph> describe_verdict(const CandidatePair& versus, const Comparison& comparison);
/// Returns the ranks, the ratio of each candidate and, if prices are known, the costs.
std::vector<Paragraph> describe_ranking(const Ranking& ranking, const Comparison& comparison);
/// Returns advice for a narrower interval: "use --repeat 5 on all machines"; empty for publications.
std::string advise(const CandidatePair& versus, bool has_interval);

/// Returns a note on the variation of earlier runs; empty if no interval includes it.
std::string describe_noise(const CandidatePair& versus);

/// Returns a row per case with the values of a metric, ratio and verdict; without details the first cases
/// only. Null: the main metric of each case.
Table case_table(const CandidatePair& versus, const Metric* metric, bool is_detailed);
Table ranking_table(const Ranking& ranking, const Comparison& comparison);
/// Returns a row per case and a column per candidate, with ratios to the first candidate of the row.
Table matrix_table(const Comparison& comparison, const Metric* metric);
/// Returns explanations of the rankings, and the candidates without a rank.
std::vector<Paragraph> ranking_notes(const std::vector<Ranking>& rankings, const Comparison& comparison);

/// Returns cautions, merged over cases and candidates, the most important first.
std::vector<Paragraph> list_cautions(const Comparison& comparison);

Table model_table(const Comparison& comparison);
Table difference_table(const CandidatePair& versus);
Table failure_table(const Comparison& comparison);
Table machine_table(const Comparison& comparison);

}  // namespace gpubench
