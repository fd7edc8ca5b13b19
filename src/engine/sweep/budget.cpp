#include "engine/sweep/budget.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/sweep/pilots.h"
#include "engine/validation/plausibility.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

constexpr double kWellKnown = 0.01;       // Below this no repetition is worth its time.
constexpr std::int64_t kLeastToTell = 3;  // Processes, how they differ.
constexpr std::int64_t kMostRepeats = 20;

/// Ends trials at a moment too, so that time is left for cases.
class TimedTrials : public TrialControl {
 public:
  TimedTrials(Interrupts& interrupts, const Clock& clock, Seconds end)
      : TrialControl(interrupts), clock_(clock), end_(end) {}
  bool must_abort() override { return TrialControl::must_abort() || clock_.now() > end_; }

 private:
  const Clock& clock_;
  Seconds end_;
};

class BudgetScheduler {
 public:
  BudgetScheduler(const std::vector<Case>& cases, const Budget& budget, const SweepServices<Case>& services,
                  const TellBudget& tell)
      : cases_(cases), services_(services), tell_(tell), budget_(budget) {}

  /// Trials and the cases that they are of, in turns: many models take longer to try than there is time.
  bool run(const std::vector<std::size_t>& positions) {
    tell_("budget: a few steps of each model come first, to see what fits");
    std::vector<std::size_t> untried = positions;
    while (!untried.empty() && left().value > 0) {
      const std::vector<std::size_t> tried = try_some(untried);
      if (services_.interrupts.count() > 0 || !run_what_fits(tried, untried.size())) return false;
    }
    for (const std::size_t position : untried) skip(position);
    return repeat_uncertain();
  }

 private:
  Seconds left() const { return budget_.begin + budget_.time - services_.clock.now(); }

  /// Takes positions out of `untried` whose cases have been tried by now.
  std::vector<std::size_t> try_some(std::vector<std::size_t>& untried) {
    const Seconds end = services_.clock.now() + Seconds{kTrialPart * left().value};
    TimedTrials control(services_.interrupts, services_.clock, end);
    estimator_.measure(mapped(untried, [&](std::size_t position) { return cases_[position]; }), control);
    const auto is_tried = [&](std::size_t position) { return estimator_.is_tried(cases_[position]); };
    std::vector<std::size_t> tried;
    std::ranges::copy_if(untried, std::back_inserter(tried), is_tried);
    std::erase_if(untried, is_tried);
    return tried;
  }

  bool run_what_fits(const std::vector<std::size_t>& tried, std::size_t untried) {
    const BudgetPlan plan =
        choose_within(left(), mapped(tried, [&](std::size_t position) {
                        return BudgetCandidate{position, cases_[position].repeat, duration(position)};
                      }));
    tell_(fmt::format("budget {}: {} of {} cases, about {}; {} left for {}", duration_text(budget_.time),
                      plan.chosen.size(), tried.size(), duration_text(plan.duration),
                      duration_text(left() - plan.duration),
                      untried > 0 ? fmt::format("{} cases that are not tried yet", untried) : "repetitions"));
    for (const std::size_t position : plan.cut) skip(position);
    for (std::size_t i = 0; i < plan.chosen.size(); ++i) {
      if (services_.interrupts.count() > 0) return false;
      run_or_skip(plan.chosen[i], i, plan.chosen.size());
    }
    return true;
  }

  const CaseRecord& row(std::size_t position) const { return services_.journal.state().rows[position].row; }

  Measured<Seconds> duration(std::size_t position) const {
    return estimator_.duration(cases_[position], row(position));
  }

  void skip(std::size_t position) {
    const std::string reason = fmt::format("no time left of the {} budget", duration_text(budget_.time));
    services_.journal.row_finished(position, skipped(row(position), "budget", reason));
    services_.keep();
  }

  /// The plan may have been too hopeful.
  void run_or_skip(std::size_t position, std::size_t index, std::size_t count) {
    const Measured<Seconds> needed = duration(position);
    const double hoped = needed.has_value() ? needed.value().value : 0;
    if (left().value < kHopeless * hoped) return skip(position);
    run_position(cases_[position], position, index, count, budget_.begin + budget_.time, services_);
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
    const RowIdentity identity = make_identity(row(position));
    std::int64_t most = 1;
    for (const JournalRow<Case>& entry : services_.journal.state().rows) {
      if (make_identity(entry.row) == identity) most = std::max(most, entry.row.repeat);
    }
    return most;
  }

  /// Of the cases that have ended well and fit once more: the first of those that were run least often, while
  /// any was run too seldom to tell how processes differ; then the one whose figure is least certain.
  std::optional<std::size_t> next_to_repeat() const {
    const RunRecord run = make_document(services_.journal.state());
    using Urgency = std::pair<std::int64_t, double>;  // Processes that are missing, and the interval.
    Urgency most{0, kWellKnown};
    std::optional<std::size_t> next;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const CaseRecord& record = run.cases[i];
      if (record.status != RowStatus::kOk || record.repeat != 1 || !fits_again(record)) continue;
      const std::int64_t done = repeats(i);
      if (done >= kMostRepeats) continue;
      const Measured<double> known = uncertainty(run, i);
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

  static constexpr double kTrialPart = 1.0 / 3;  // Of the time that is left.
  static constexpr double kHopeless = 0.5;       // Less of the needed time than this is not worth a start.
  static constexpr double kSafety = 1.1;

  const std::vector<Case>& cases_;
  const SweepServices<Case>& services_;
  const TellBudget& tell_;
  Budget budget_;
  Estimator estimator_{services_.executor};
  std::size_t repetitions_ = 0;
};

}  // namespace

bool run_within_budget(const std::vector<Case>& cases, const std::vector<std::size_t>& positions,
                       const Budget& budget, const SweepServices<Case>& services, const TellBudget& tell) {
  return BudgetScheduler(cases, budget, services, tell).run(positions);
}

BudgetPlan choose_within(Seconds budget, const std::vector<BudgetCandidate>& candidates) {
  const auto cost = [](const BudgetCandidate* c) {
    return c->duration.has_value() ? c->duration.value() : Seconds{};
  };
  auto by_cost = mapped(candidates, [](const BudgetCandidate& candidate) { return &candidate; });
  std::ranges::stable_sort(by_cost, {},
                           [&](const BudgetCandidate* c) { return std::pair(c->round, cost(c)); });
  BudgetPlan plan;
  std::set<const BudgetCandidate*> chosen;
  for (const BudgetCandidate* const candidate : by_cost) {
    const Seconds then = plan.duration + cost(candidate);
    if (then > budget) continue;
    plan.duration = then;
    chosen.insert(candidate);
  }
  for (const BudgetCandidate& candidate : candidates) {
    (chosen.contains(&candidate) ? plan.chosen : plan.cut).push_back(candidate.position);
  }
  return plan;
}

Measured<double> uncertainty(const RunRecord& run, std::size_t position) {
  const RowIdentity identity = make_identity(run.cases.at(position));
  std::vector<double> medians;
  for (const CaseRecord& record : run.cases) {
    const Measured<Summary> epochs = epoch_summary(record);
    if (record.status == RowStatus::kOk && epochs.has_value() && make_identity(record) == identity)
      medians.push_back(epochs.value().median);
  }
  if (std::ssize(medians) < kLeastToTell)
    return missing("how processes differ takes {} of them to tell", kLeastToTell);
  return halfwidth_between_runs(medians);
}

namespace {

/// Graphs are what `auto` becomes on CUDA, unless batches come from host memory.
bool is_recorded(const TrainingMode& mode, const std::string& device) {
  if (mode.execution != Execution::kAuto) return mode.execution == Execution::kGraph;
  return device.starts_with("cuda") && mode.loader == Loader::kResident;
}

Measured<Seconds> step_time(const StepCost& cost, const CaseRecord& peak) {
  if (!peak.peak_flops_per_second.has_value()) return missing(peak.peak_flops_per_second.reason());
  if (!peak.peak_bytes_per_second.has_value()) return missing(peak.peak_bytes_per_second.reason());
  if (!peak.operation_latency.has_value()) return missing(peak.operation_latency.reason());
  return Seconds{cost.flop / peak.peak_flops_per_second.value() +
                 cost.bytes / peak.peak_bytes_per_second.value() +
                 cost.operations * peak.operation_latency.value().value};
}

}  // namespace

Measured<Forecast> forecast(const Case& c, CaseRecord planned, const StepCosts& costs,
                            const Environment& environment) {
  if (c.ranks > 1) return missing("what exchanges between ranks take is unknown");
  if (is_recorded(c.mode, c.device)) planned.execution_used = to_string(Execution::kGraph);
  note_roof(planned, environment);
  const std::int64_t batch = std::max<std::int64_t>(1, std::min(c.batch_size, planned.train_samples));
  return step_time(costs.of_batch(batch), planned).then([&](Seconds step) {
    const double sample = step.value / static_cast<double>(batch);
    const double epoch = sample * static_cast<double>(planned.train_samples);
    const std::int64_t epochs = expected_epochs(c.stopping, Seconds{epoch});
    return Forecast{epochs,
                    Seconds{static_cast<double>(epochs) * epoch + sample * evaluation_load(planned, epochs)}};
  });
}

}  // namespace gpubench
