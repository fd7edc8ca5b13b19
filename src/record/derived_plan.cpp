// How much of a case is enough, from the processes that ran it.

#include <algorithm>
#include <numeric>

#include "gpubench/core/collect.h"
#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

using Processes = std::vector<const CaseRecord*>;

double total(std::span<const double> seconds) { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

/// Blocks are known of the last epochs of a long case alone, and then epochs tell more.
ProcessTimes times_of(const CaseRecord& record) {
  const auto steady = steady_epochs(record);
  ProcessTimes times{{steady.begin(), steady.end()}, {}};
  if (steady.size() == 1 && std::ssize(record.block_seconds) >= std::ssize(record.block_steps)) {
    times.blocks.assign(record.block_seconds.end() - std::ssize(record.block_steps),
                        record.block_seconds.end());
  }
  return times;
}

/// A timed epoch, with the validation after it.
double epoch_cost(const CaseRecord& record) {
  const auto steady = steady_epochs(record);
  const double epoch = total(steady) / static_cast<double>(steady.size());
  const auto& validations = record.validation_seconds;
  return validations.empty() ? epoch : epoch + total(validations) / static_cast<double>(validations.size());
}

/// All of a process that is no timed epoch.
double process_cost(const CaseRecord& record) {
  const double timed = epoch_cost(record) * static_cast<double>(steady_epochs(record).size());
  if (record.process.has_value()) return std::max(0.0, record.process.value().value - timed);
  const double warmup =
      total(std::span(record.epoch_seconds).first(static_cast<std::size_t>(record.warmup_epochs)));
  return warmup + (record.setup.has_value() ? record.setup.value().value : 0);
}

/// Medians over processes: the first of a machine tries what later ones know.
LevelCosts costs_of(const Processes& processes) {
  const auto median = [&](double (*cost)(const CaseRecord&)) {
    return median_of(mapped(processes, [=](const CaseRecord* record) { return cost(*record); }));
  };
  return {median(process_cost), median(epoch_cost)};
}

CasePlan plan_of(const Processes& processes, double margin) {
  CasePlan plan;
  const CaseRecord& first = *processes.front();
  plan.identity = identity_of(first);
  plan.processes = processes.size();
  plan.warmup_epochs = first.warmup_epochs;
  plan.variation =
      variation_of(mapped(processes, [](const CaseRecord* record) { return times_of(*record); }));
  plan.costs = costs_of(processes);
  plan.plan = plan.variation.then(
      [&](const Variation& variation) { return plan_repetitions(variation, plan.costs, margin); });
  return plan;
}

}  // namespace

std::vector<CasePlan> plans_of(const RunRecord& run, double margin) {
  Processes timed;
  for (const CaseRecord& record : run.cases) {
    if (record.status == RowStatus::kOk && !steady_epochs(record).empty()) timed.push_back(&record);
  }
  const auto identities = mapped(timed, [](const CaseRecord* record) { return identity_of(*record); });
  return mapped(repeats_of(identities), [&](const std::vector<std::size_t>& positions) {
    return plan_of(mapped(positions, [&](std::size_t i) { return timed[i]; }), margin);
  });
}

Seconds cost_of(const LevelCosts& costs, std::int64_t processes, std::int64_t epochs) {
  const double process = costs.process + costs.epoch * static_cast<double>(epochs);
  return {process * static_cast<double>(processes)};
}

}  // namespace gpubench
