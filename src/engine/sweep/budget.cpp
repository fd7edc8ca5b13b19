#include "engine/sweep/budget.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

constexpr double kWellKnown = 0.01;       // Below this no repetition is worth its time.
constexpr std::int64_t kLeastToTell = 3;  // Processes, how they differ.
constexpr std::int64_t kMostRepeats = 20;

class Spending {
 public:
  Spending(const std::vector<Case>& cases, Seconds budget, const SweepServices<Case>& services,
           const TellBudget& tell)
      : cases_(cases), services_(services), tell_(tell), budget_(budget) {}

  bool run(const std::vector<std::size_t>& positions) {
    tell_("budget: a few steps of each model come first, to see what fits");
    estimator_.measure(mapped(positions, [&](std::size_t position) { return cases_[position]; }),
                       services_.interrupts, [](const Case&, std::size_t, std::size_t) {});
    if (services_.interrupts.count() > 0) return false;
    const BudgetPlan plan =
        choose_within(left(), mapped(positions, [&](std::size_t position) {
                        return Candidate{position, cases_[position].repeat, duration(position)};
                      }));
    tell_(fmt::format("budget {}: {} of {} cases, about {}; {} left for repetitions", duration_text(budget_),
                      plan.chosen.size(), positions.size(), duration_text(plan.duration),
                      duration_text(left() - plan.duration)));
    for (const std::size_t position : plan.cut) skip(position);
    for (std::size_t i = 0; i < plan.chosen.size(); ++i) {
      if (services_.interrupts.count() > 0) return false;
      run_or_skip(plan.chosen[i], i, plan.chosen.size());
    }
    return repeat_uncertain();
  }

 private:
  Seconds left() const { return deadline_ - services_.clock.now(); }

  const CaseRecord& row(std::size_t position) const { return services_.journal.state().rows[position].row; }

  Reading<Seconds> duration(std::size_t position) const {
    return estimator_.estimate(cases_[position], row(position)).duration;
  }

  void skip(std::size_t position) {
    const Reading<Seconds> needed = duration(position);
    const std::string reason =
        fmt::format("the budget of {} has no room for it: it needs about {}", duration_text(budget_),
                    needed.has_value() ? duration_text(needed.value()) : "an unknown time");
    services_.journal.row_finished(position, skipped(row(position), "budget", "", reason));
    services_.keep();
  }

  /// The plan may have been too hopeful.
  void run_or_skip(std::size_t position, std::size_t index, std::size_t count) {
    const Reading<Seconds> needed = duration(position);
    const double hoped = needed.has_value() ? needed.value().value : 0;
    if (left().value < kHopeless * hoped) return skip(position);
    run_position(cases_[position], position, index, count, deadline_, services_);
  }

  bool repeat_uncertain() {
    while (services_.interrupts.count() == 0) {
      const auto position = next_to_repeat();
      if (!position) return true;
      Case again = cases_[*position];
      again.repeat = repeats(*position) + 1;
      CaseRecord planned = row(*position);
      planned.repeat = again.repeat;
      const std::size_t added = services_.journal.add_row(again, planned);
      ++repetitions_;
      run_position(again, added, repetitions_ - 1, repetitions_, std::nullopt, services_);
    }
    return false;
  }

  std::int64_t repeats(std::size_t position) const {
    const RowIdentity identity = identity_of(row(position));
    std::int64_t most = 1;
    for (const JournalRow<Case>& entry : services_.journal.state().rows) {
      if (identity_of(entry.row) == identity) most = std::max(most, entry.row.repeat);
    }
    return most;
  }

  /// Of the cases that have ended well and fit once more: the first of those that were run least often, while
  /// any was run too seldom to tell how processes differ; then the one whose figure is least certain.
  std::optional<std::size_t> next_to_repeat() const {
    const RunRecord run = document_of(services_.journal.state());
    using Urgency = std::pair<std::int64_t, double>;  // Processes that are missing, and the interval.
    Urgency most{0, kWellKnown};
    std::optional<std::size_t> next;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const CaseRecord& record = run.cases[i];
      if (record.status != RowStatus::kOk || record.repeat != 1 || !fits_again(record)) continue;
      const std::int64_t done = repeats(i);
      if (done >= kMostRepeats) continue;
      const Reading<double> known = uncertainty(run, i);
      const Urgency urgency{std::max<std::int64_t>(0, kLeastToTell - done),
                            known.has_value() ? known.value() : 1};
      if (urgency <= most) continue;
      most = urgency;
      next = i;
    }
    return next;
  }

  bool fits_again(const CaseRecord& record) const {
    const double took = record.process.has_value() ? record.process.value().value : 0;
    return took > 0 && took * kSafety < left().value;
  }

  static constexpr double kHopeless = 0.5;  // Less of the needed time than this is not worth a start.
  static constexpr double kSafety = 1.1;

  const std::vector<Case>& cases_;
  const SweepServices<Case>& services_;
  const TellBudget& tell_;
  Seconds budget_;
  Seconds deadline_ = services_.clock.now() + budget_;
  Estimator estimator_{services_.executor};
  std::size_t repetitions_ = 0;
};

}  // namespace

bool run_within_budget(const std::vector<Case>& cases, const std::vector<std::size_t>& positions,
                       Seconds budget, const SweepServices<Case>& services, const TellBudget& tell) {
  return Spending(cases, budget, services, tell).run(positions);
}

BudgetPlan choose_within(Seconds budget, const std::vector<Candidate>& candidates) {
  const auto cost = [](const Candidate* c) {
    return c->duration.has_value() ? c->duration.value() : Seconds{};
  };
  auto by_cost = mapped(candidates, [](const Candidate& candidate) { return &candidate; });
  std::ranges::stable_sort(by_cost, {}, [&](const Candidate* c) { return std::pair(c->round, cost(c)); });
  BudgetPlan plan;
  std::set<const Candidate*> chosen;
  for (const Candidate* const candidate : by_cost) {
    const Seconds then = plan.duration + cost(candidate);
    if (then > budget) continue;
    plan.duration = then;
    chosen.insert(candidate);
  }
  for (const Candidate& candidate : candidates) {
    (chosen.contains(&candidate) ? plan.chosen : plan.cut).push_back(candidate.position);
  }
  return plan;
}

Reading<double> uncertainty(const RunRecord& run, std::size_t position) {
  const RowIdentity identity = identity_of(run.cases.at(position));
  for (const RepeatGroup& group : repeat_groups(run)) {
    if (group.identity == identity && std::ssize(group.medians) >= kLeastToTell)
      return halfwidth(group.interval, group.summary.median);
  }
  return absent("how processes differ takes {} of them to tell", kLeastToTell);
}

}  // namespace gpubench
