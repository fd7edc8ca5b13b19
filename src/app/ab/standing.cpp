#include "app/ab/standing.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "compare/gate.h"
#include "compare/verdict.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "pages/words.h"

namespace gpubench {
namespace {

std::vector<const Pair*> pairs_of(const Comparison& comparison) {
  std::vector<const Pair*> pairs;
  for (const Duel& duel : comparison.duels) {
    for (const Pair& pair : duel.pairs) pairs.push_back(&pair);
  }
  return pairs;
}

bool is_decided(const Estimate& ratio, const Pair& pair) {
  const Outcome outcome = outcome_of(ratio, margin_of(pair));
  return outcome != Outcome::kUndecided && outcome != Outcome::kUnknown;
}

/// A row that failed has no time yet, and may have one in the next round.
bool is_hopeless(const Pair& pair) {
  return !pair.is_common() || (pair.base->seconds.has_value() && pair.other->seconds.has_value());
}

std::string ratio_text(const Duel& duel) {
  const std::vector<RowRatio> rows = row_ratios(duel);
  if (rows.empty()) return fmt::format("{} has no ratio yet", pair_name(duel));
  const Estimate ratio = mean_of(rows);
  const std::string range = interval_text(ratio);
  return fmt::format("{} {} times as fast as {}{}", duel.other->label, figure_text(ratio.value),
                     duel.base->label, range.empty() ? "" : fmt::format(" ({})", range));
}

}  // namespace

Standing standing_of(const Comparison& comparison, const std::optional<double>& threshold) {
  bool is_open = false;
  bool has_ratio = false;
  bool has_hope = false;
  for (const Pair* pair : pairs_of(comparison)) {
    const Reading<Estimate> ratio = speed_ratio(*pair);
    has_ratio = has_ratio || ratio.has_value();
    has_hope = has_hope || ratio.has_value() || !is_hopeless(*pair);
    is_open = is_open || (ratio.has_value() && !is_decided(ratio.value(), *pair));
  }
  if (!has_hope) return Standing::kIncomparable;
  if (!has_ratio) return Standing::kOpen;
  if (threshold)
    return gate(comparison, *threshold).answer == GateVerdict::kInconclusive ? Standing::kOpen
                                                                             : Standing::kDecided;
  return is_open ? Standing::kOpen : Standing::kDecided;
}

std::string obstacle_of(const Comparison& comparison) {
  std::string why;
  for (const Pair* pair : pairs_of(comparison)) {
    const Reading<Estimate> ratio = speed_ratio(*pair);
    if (ratio.has_value()) return "";
    if (why.empty()) why = ratio.reason();
  }
  return why;
}

std::string ratios_text(const Comparison& comparison) {
  return join(mapped(comparison.duels, ratio_text), "; ");
}

}  // namespace gpubench
