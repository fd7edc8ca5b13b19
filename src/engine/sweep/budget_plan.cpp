#include <algorithm>
#include <numeric>

#include "engine/sweep/budget.h"
#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

constexpr std::size_t kRepeatsForInterval = 3;

}  // namespace

BudgetPlan choose_within(Seconds budget, const std::vector<std::size_t>& positions,
                         const std::vector<Reading<Seconds>>& durations,
                         const std::vector<std::int64_t>& rounds) {
  const auto cost = [&](std::size_t i) { return durations[i].has_value() ? durations[i].value().value : 0; };
  std::vector<std::size_t> by_cost(positions.size());
  std::iota(by_cost.begin(), by_cost.end(), std::size_t{0});
  std::stable_sort(by_cost.begin(), by_cost.end(), [&](std::size_t a, std::size_t b) {
    return rounds[a] != rounds[b] ? rounds[a] < rounds[b] : cost(a) < cost(b);
  });
  std::vector<bool> is_chosen(positions.size());
  BudgetPlan plan;
  for (const std::size_t i : by_cost) {
    if (plan.duration.value + cost(i) > budget.value) continue;
    is_chosen[i] = true;
    plan.duration = plan.duration + Seconds{cost(i)};
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    (is_chosen[i] ? plan.chosen : plan.cut).push_back(positions[i]);
  }
  return plan;
}

Reading<double> uncertainty(const RunRecord& run, std::size_t position) {
  const CaseRecord& record = run.cases.at(position);
  const RowIdentity identity = identity_of(record);
  for (const RepeatGroup& group : repeat_groups(run)) {
    if (group.identity != identity || group.medians.size() < kRepeatsForInterval ||
        !group.interval.has_value())
      continue;
    return halfwidth(group.interval, group.summary.median);
  }
  const Reading<Interval> interval = epoch_interval(record);
  if (!interval.has_value()) return absent(interval.reason());
  return halfwidth(interval, epoch_summary(record).value().median);
}

}  // namespace gpubench
