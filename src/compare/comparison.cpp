#include "gpubench/compare/comparison.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace gpubench {
namespace {

/// "A" to "Z", then "A2" to "Z2" and so on.
std::string label_of(std::size_t position) {
  constexpr std::size_t kLetters = 26;
  const std::string letter(1, static_cast<char>('A' + position % kLetters));
  return position < kLetters ? letter : letter + std::to_string(position / kLetters + 1);
}

/// The contenders of the first file come first: this many.
std::size_t count_of_first_file(const std::vector<Contender>& contenders) {
  std::size_t count = 0;
  const auto is_first = [&](const Contender& contender) {
    return contender.file == contenders.front().file && contender.started_at == contenders.front().started_at;
  };
  while (count < contenders.size() && is_first(contenders[count])) ++count;
  return count;
}

/// The counterpart among the first `count` contenders.
std::size_t base_for(const Contender& contender, const std::vector<Contender>& contenders,
                     std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (contenders[i].device.name == contender.device.name) return i;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (is_cpu(contenders[i]) == is_cpu(contender)) return i;
  }
  return 0;
}

/// Network, data and batch size: what two cases must have in common to be compared at all. Views of their
/// names.
using Work = std::tuple<std::string_view, std::string_view, std::string_view, std::int64_t>;

Work work_of(const CaseFigures& figures) {
  return {figures.model, figures.sizes, figures.dataset, figures.batch_size};
}

using Candidates = std::vector<const CaseFigures*>;

/// Takes the one that is most like `figures` out of the candidates; null where none is left.
const CaseFigures* take_nearest(const CaseFigures& figures, Candidates& candidates) {
  const auto nearest =
      std::min_element(candidates.begin(), candidates.end(), [&](const CaseFigures* a, const CaseFigures* b) {
        return distance(figures, *a) < distance(figures, *b);
      });
  if (nearest == candidates.end()) return nullptr;
  const CaseFigures* taken = *nearest;
  candidates.erase(nearest);
  return taken;
}

/// Cases that are exactly alike find each other before the others take what is left.
void match(const Candidates& left, Candidates& right, int most_distance,
           std::map<const CaseFigures*, const CaseFigures*>& matches) {
  for (const CaseFigures* figures : left) {
    if (matches.contains(figures)) continue;
    Candidates near;
    std::copy_if(right.begin(), right.end(), std::back_inserter(near),
                 [&](const CaseFigures* other) { return distance(*figures, *other) <= most_distance; });
    const CaseFigures* other = take_nearest(*figures, near);
    if (other == nullptr) continue;
    matches[figures] = other;
    std::erase(right, other);
  }
}

std::map<Work, Candidates> by_work(const Contender& contender) {
  std::map<Work, Candidates> groups;
  for (const CaseFigures& figures : contender.cases) groups[work_of(figures)].push_back(&figures);
  return groups;
}

Pair pair_of(const CaseFigures& base, const CaseFigures* other) {
  Pair pair{&base, other, {}};
  if (other != nullptr) pair.differences = differences(base, *other);
  return pair;
}

std::vector<Pair> pairs_of(const Contender& base, const Contender& other) {
  std::map<Work, Candidates> others = by_work(other);
  std::map<const CaseFigures*, const CaseFigures*> matches;
  for (const auto& [work, candidates] : by_work(base)) {
    match(candidates, others[work], 0, matches);
    match(candidates, others[work], std::numeric_limits<int>::max(), matches);
  }
  std::vector<Pair> pairs;
  for (const CaseFigures& figures : base.cases) {
    const auto found = matches.find(&figures);
    pairs.push_back(pair_of(figures, found == matches.end() ? nullptr : found->second));
  }
  for (const CaseFigures& figures : other.cases) {
    const Candidates& left = others[work_of(figures)];
    if (std::find(left.begin(), left.end(), &figures) != left.end()) pairs.push_back({nullptr, &figures, {}});
  }
  return pairs;
}

Duel duel_of(const std::vector<Contender>& contenders, std::size_t base, std::size_t other) {
  return {base, other, differences(contenders[base], contenders[other]),
          pairs_of(contenders[base], contenders[other])};
}

}  // namespace

Comparison compare(std::vector<Contender> contenders, bool is_forced) {
  Comparison comparison;
  comparison.is_forced = is_forced;
  comparison.contenders = std::move(contenders);
  std::vector<Contender>& all = comparison.contenders;
  for (std::size_t i = 0; i < all.size(); ++i) all[i].label = label_of(i);
  if (all.empty()) return comparison;
  const std::size_t first_file = count_of_first_file(all);
  const bool is_one_file = first_file == all.size();
  for (std::size_t i = is_one_file ? 1 : first_file; i < all.size(); ++i) {
    comparison.duels.push_back(duel_of(all, is_one_file ? 0 : base_for(all[i], all, first_file), i));
  }
  return comparison;
}

}  // namespace gpubench
