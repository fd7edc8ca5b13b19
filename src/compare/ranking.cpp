#include "compare/ranking.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "gpubench/core/collect.h"
#include "gpubench/record/run_record.h"

namespace gpubench {
namespace {

/// Samples of an epoch; 1 for operations and where a file does not state them.
double count_samples(const RowFigures& row) {
  return std::max(1.0, static_cast<double>(row.identity.number("train_samples")));
}

/// Returns whether both rows train the same network, in any precision and number of samples.
bool is_same_work(const RowFigures& left, const RowFigures& right) {
  std::vector<Difference> all = differences(left, right);
  std::erase_if(all, [](const Difference& difference) {
    return difference.what == "precision" || difference.what == "samples per epoch";
  });
  return comparability_on(Metric::kTime, all) != Comparability::kRefused;
}

void add_row(const CandidateRow& row, bool is_forced, std::vector<Ranking>& works) {
  const RowIdentity identity = to_work(row.figures->identity);
  auto work = std::ranges::find(works, identity, &Ranking::work);
  if (work == works.end()) work = works.insert(work, {identity, 1, nullptr, {}});
  auto& machines = work->machines;
  if (!machines.empty() && !is_forced && !is_same_work(*machines.front().best, *row.figures))
    return add_once(work->left_out, row.candidate);
  auto machine = std::ranges::find(machines, row.candidate, &RankedMachine::candidate);
  if (machine == machines.end()) machine = machines.insert(machine, {row.candidate, row.figures});
  const auto keep_faster = [&](const RowFigures*& best) {
    if (best == nullptr || compute_throughput(*row.figures) > compute_throughput(*best)) best = row.figures;
  };
  keep_faster(machine->best);
  if (row.figures->identity.at("precision") == to_string(Precision::kFp32)) keep_faster(machine->fp32);
  machine->throughput = compute_throughput(*machine->best);
}

/// Returns the works that at least two machines ran well.
std::vector<Ranking> list_works(const Comparison& comparison) {
  std::vector<Ranking> works;
  for (const CandidateRow& row : make_rows(comparison.candidates)) {
    if (row.figures->seconds.has_value()) add_row(row, comparison.is_forced, works);
  }
  std::erase_if(works, [](const Ranking& work) { return work.machines.size() < 2; });
  return works;
}

/// Throughput of `machine` over that of `reference` for one work. Unlike numbers of samples compare by
/// sample.
RowRatio compute_ratio(const RankedMachine& machine, const RankedMachine& reference) {
  RowRatio row = make_ratio({reference.candidate, reference.best}, {machine.candidate, machine.best});
  const double factor = count_samples(*machine.best) / count_samples(*reference.best);
  row.ratio.value *= factor;
  row.ratio.interval = row.ratio.interval.then([&](const Interval& interval) {
    return Interval{factor * interval.low, factor * interval.high};
  });
  return row;
}

/// Expects a machine of the work.
const RankedMachine& find_machine(const Ranking& work, const Candidate* candidate) {
  return *std::ranges::find(work.machines, candidate, &RankedMachine::candidate);
}

double compute_mean_speed(const std::vector<Ranking>& works, const Candidate* candidate) {
  double logarithms = 0;
  for (const Ranking& work : works) logarithms += std::log(find_machine(work, candidate).throughput);
  return std::exp(logarithms / static_cast<double>(works.size()));
}

/// Gives machines the rank of the leader before them if their intervals overlap. Expects the fastest first.
void assign_ranks(Ranking& ranking) {
  std::vector<RankedMachine>& machines = ranking.machines;
  std::size_t leader = 0;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const Measured<Interval>& interval = machines[i].relative.interval;
    const Measured<Interval>& leading = machines[leader].relative.interval;
    machines[i].is_certain = interval.has_value() && leading.has_value();
    const bool overlaps = machines[i].is_certain && interval.value().high >= leading.value().low;
    if (!overlaps) leader = i;
    machines[i].rank = leader + 1;
  }
  // One interval alone, that of the reference, ranks nothing.
  const auto is_certain = [&](const RankedMachine& machine) {
    return machine.candidate != ranking.reference && machine.is_certain;
  };
  if (std::ranges::none_of(machines, is_certain)) machines.front().is_certain = false;
}

/// Ranks the machines of `works`, at least one, which all have the same.
Ranking rank(const std::vector<Ranking>& works, const Comparison& comparison) {
  Ranking ranking = works.front();
  ranking.cases = works.size();
  std::vector<RankedMachine>& machines = ranking.machines;
  for (RankedMachine& machine : machines) machine.throughput = compute_mean_speed(works, machine.candidate);
  std::ranges::stable_sort(machines, std::greater(), &RankedMachine::throughput);
  const Candidate* baseline = &comparison.candidates.front();
  const bool is_ranked = std::ranges::count(machines, baseline, &RankedMachine::candidate) > 0;
  ranking.reference = comparison.has_baseline && is_ranked ? baseline : machines.front().candidate;
  for (RankedMachine& machine : machines) {
    if (machine.candidate == ranking.reference) {
      machine.relative = {1, Interval{1, 1}};
    } else {
      machine.relative = compute_mean(mapped(works, [&](const Ranking& work) {
        return compute_ratio(find_machine(work, machine.candidate), find_machine(work, ranking.reference));
      }));
    }
  }
  assign_ranks(ranking);
  return ranking;
}

}  // namespace

double compute_throughput(const RowFigures& row) { return count_samples(row) / row.seconds.value().value; }

std::vector<Ranking> rank_machines(const Comparison& comparison) {
  return mapped(list_works(comparison), [&](const Ranking& work) { return rank({work}, comparison); });
}

std::optional<Ranking> rank_overall(const Comparison& comparison) {
  std::vector<Ranking> works = list_works(comparison);
  std::vector<const Candidate*> ranked;
  for (const Ranking& work : works) {
    for (const RankedMachine& machine : work.machines) add_once(ranked, machine.candidate);
  }
  std::erase_if(works, [&](const Ranking& work) { return work.machines.size() < ranked.size(); });
  return works.size() < 2 ? std::nullopt : std::optional(rank(works, comparison));
}

std::optional<double> cost_per_million(const RankedMachine& machine) {
  constexpr double kSecondsPerHour = 3600;
  if (!machine.candidate->price_per_hour || machine.best->identity.number("train_samples") <= 0)
    return std::nullopt;
  return *machine.candidate->price_per_hour / kSecondsPerHour * 1e6 / machine.throughput;
}

}  // namespace gpubench
