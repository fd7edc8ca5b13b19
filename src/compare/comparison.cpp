#include "compare/comparison.h"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

/// "A" to "Z", then "A2" to "Z2" and so on.
std::string format_label(std::size_t position) {
  constexpr std::size_t kLetters = 26;
  const std::string letter(1, static_cast<char>('A' + position % kLetters));
  return position < kLetters ? letter : letter + std::to_string(position / kLetters + 1);
}

/// The counterpart among the first `count` candidates.
std::size_t base_for(const Candidate& candidate, const std::vector<Candidate>& candidates,
                     std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (candidates[i].device.name == candidate.device.name) return i;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (is_cpu(candidates[i]) == is_cpu(candidate)) return i;
  }
  return 0;
}

using Rows = std::vector<const RowFigures*>;

/// Pairs each row of `left` with the nearest one that is left in `right`, up to a distance.
void match(const Rows& left, Rows& right, int most_distance,
           std::map<const RowFigures*, const RowFigures*>& matches) {
  for (const RowFigures* figures : left) {
    if (matches.contains(figures)) continue;
    const RowFigures* other = find_nearest_row(figures->identity, right);
    if (other == nullptr || distance(figures->identity, other->identity) > most_distance) continue;
    matches[figures] = other;
    std::erase(right, other);
  }
}

std::map<RowIdentity, Rows> by_work(const Candidate& candidate) {
  std::map<RowIdentity, Rows> groups;
  for (const RowFigures& figures : candidate.rows) groups[to_work(figures.identity)].push_back(&figures);
  return groups;
}

/// Returns a caveat if the sensors are of different kinds. Publications have none, and are a caveat anyway.
std::vector<Difference> sensor_differences(const CandidateRow& left, const CandidateRow& right) {
  const std::string& a = left.figures->energy.meter;
  const std::string& b = right.figures->energy.meter;
  if (a.empty() || b.empty() || have_one_sensor(left, right)) return {};
  Difference difference{"power sensor", fmt::format("{} of {}", a, left.candidate->device.model),
                        fmt::format("{} of {}", b, right.candidate->device.model)};
  difference.effect[static_cast<std::size_t>(Metric::kEnergy)] = Comparability::kCaveat;
  return {difference};
}

std::vector<Pair> make_pairs(const Candidate& base, const Candidate& other) {
  std::vector<Pair> pairs;
  if (are_in_alternation(base, other) && base.rows.size() == other.rows.size()) {
    // Sides in alternation may differ in anything, so their rows are paired by position.
    for (std::size_t i = 0; i < base.rows.size(); ++i)
      pairs.push_back({&base.rows[i], &other.rows[i], differences(base.rows[i], other.rows[i])});
    return pairs;
  }
  std::map<RowIdentity, Rows> others = by_work(other);
  std::map<const RowFigures*, const RowFigures*> matches;
  for (const auto& [work, rows] : by_work(base)) {
    // Rows that are exactly alike find each other before the others take what is left.
    match(rows, others[work], 0, matches);
    match(rows, others[work], std::numeric_limits<int>::max(), matches);
  }
  for (const RowFigures& figures : base.rows) {
    Pair& pair = pairs.emplace_back(Pair{&figures, matches[&figures]});
    if (pair.other == nullptr) continue;
    pair.differences = differences(figures, *pair.other);
    append(pair.differences, sensor_differences({&base, &figures}, {&other, pair.other}));
  }
  for (const RowFigures& figures : other.rows) {
    const Rows& left = others[to_work(figures.identity)];
    if (std::ranges::find(left, &figures) != left.end()) pairs.push_back({nullptr, &figures});
  }
  return pairs;
}

BaselineComparison make_baseline_comparison(const Candidate& base, const Candidate& other, bool is_forced) {
  BaselineComparison versus{&base, &other, is_forced, differences(base, other), make_pairs(base, other)};
  if (!are_in_alternation(base, other)) return versus;
  versus.differences = with_choices(std::move(versus.differences));
  for (Pair& pair : versus.pairs) pair.differences = with_choices(std::move(pair.differences));
  return versus;
}

}  // namespace

Comparison compare(std::vector<Candidate> candidates, bool is_forced, std::optional<double> equality_margin) {
  Comparison comparison;
  comparison.is_forced = is_forced;
  comparison.candidates = std::move(candidates);
  std::vector<Candidate>& all = comparison.candidates;
  for (std::size_t i = 0; i < all.size(); ++i) all[i].label = format_label(i);
  for (Candidate& candidate : all) {
    candidate.distinction = describe_distinction(candidate, all);
    candidate.equality_margin = equality_margin;
  }
  if (all.empty()) return comparison;
  const auto second_file = std::ranges::find_if_not(
      all, [&](const Candidate& candidate) { return is_of_same_file(candidate, all.front()); });
  const auto first_file = static_cast<std::size_t>(second_file - all.begin());
  const bool is_one_file = second_file == all.end();
  for (std::size_t i = is_one_file ? 1 : first_file; i < all.size(); ++i) {
    const Candidate& base = all[is_one_file ? 0 : base_for(all[i], all, first_file)];
    comparison.versus_baseline.push_back(make_baseline_comparison(base, all[i], is_forced));
  }
  for (BaselineComparison& versus : comparison.versus_baseline) {
    for (Pair& pair : versus.pairs) pair.versus = &versus;
  }
  return comparison;
}

std::vector<DifferenceCount> difference_counts(const BaselineComparison& versus) {
  std::vector<DifferenceCount> counts;
  for (const Difference& difference : versus.differences) counts.push_back({difference, 0});
  for (const Pair& pair : versus.pairs) {
    for (const Difference& difference : pair.differences) {
      auto found = std::ranges::find(counts, difference, &DifferenceCount::difference);
      if (found == counts.end()) found = counts.insert(counts.end(), {difference, 0});
      ++found->rows;
    }
  }
  return counts;
}

std::string format_sentence(const Difference& difference, const BaselineComparison& versus) {
  const auto& [what, left, right, effect] = difference;
  if (left == right) return fmt::format("{}{} on both sides", what, left == "yes" ? "" : ": " + left);
  return fmt::format("{}: {} {}, {} {}", what, versus.base->label, left, versus.other->label, right);
}

std::string pair_name(const BaselineComparison& versus) {
  return versus.other->label + " against " + versus.base->label;
}

}  // namespace gpubench
