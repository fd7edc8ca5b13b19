#include "compare/conclusions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {
namespace {

/// Returns the samples per epoch; 1 for operations and for files that do not state them.
double count_samples(const RowFigures& row) {
  return std::max(1.0, static_cast<double>(row.identity.number("train_samples")));
}

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

std::vector<Ranking> list_works(const Comparison& comparison) {
  std::vector<Ranking> works;
  for (const CandidateRow& row : make_rows(comparison.candidates)) {
    if (row.figures->seconds.has_value()) add_row(row, comparison.is_forced, works);
  }
  std::erase_if(works, [](const Ranking& work) { return work.machines.size() < 2; });
  return works;
}

/// Returns the ratio of the throughputs of `machine` and `reference` for one work.
RowRatio compute_ratio(const RankedMachine& machine, const RankedMachine& reference) {
  RowRatio row = make_ratio({reference.candidate, reference.best}, {machine.candidate, machine.best});
  const double factor = count_samples(*machine.best) / count_samples(*reference.best);
  row.ratio.value *= factor;
  row.ratio.interval = row.ratio.interval.then([&](const Interval& interval) {
    return Interval{factor * interval.low, factor * interval.high};
  });
  return row;
}

const RankedMachine& find_machine(const Ranking& work, const Candidate* candidate) {
  return *std::ranges::find(work.machines, candidate, &RankedMachine::candidate);
}

/// Assigns ranks, the fastest first. Machines whose intervals overlap that of the leader share its rank.
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
  // The interval of the reference alone ranks nothing.
  const auto is_certain = [&](const RankedMachine& machine) {
    return machine.candidate != ranking.reference && machine.is_certain;
  };
  if (std::ranges::none_of(machines, is_certain)) machines.front().is_certain = false;
}

/// Ranks machines over one or more works, which all have the same machines.
Ranking rank(const std::vector<Ranking>& works, const Comparison& comparison) {
  Ranking ranking = works.front();
  ranking.cases = works.size();
  std::vector<RankedMachine>& machines = ranking.machines;
  for (RankedMachine& machine : machines) {
    const auto speed_in = [&](const Ranking& work) {
      return Estimate{find_machine(work, machine.candidate).throughput};
    };
    machine.throughput = compute_geometric_mean(mapped(works, speed_in)).value;
  }
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

// The gate.

constexpr double kLevel = 0.025;                 // Probability beyond one end of a 95 % interval.
constexpr std::int64_t kMostRepetitions = 1000;  // Most repeats that are recommended to decide a case.

struct GateSuspect {
  GateSuspect(GateCase& judged, double limit) : row(judged), distance(std::log(row.slowdown.value / limit)) {
    if (!row.slowdown.interval.has_value() || distance == 0) return;
    const auto [low, high] = row.slowdown.interval.value();
    arm = std::log(distance > 0 ? row.slowdown.value / low : high / row.slowdown.value);
    score = kNormalScore * distance / arm;
  }

  /// Returns true if the score is significant at `level`, assuming `growth` times as many processes.
  bool is_beyond_doubt(double growth = 1) const {
    const double of_runs = row.noise_arm * row.noise_arm;
    const double kept = growth == 1 ? 1 : std::sqrt(((arm * arm - of_runs) / growth + of_runs)) / arm;
    return distance != 0 && std::erfc(std::abs(score) / kept / std::numbers::sqrt2) / 2 <= level;
  }

  GateCase& row;
  double distance;        ///< Logarithm of slowdown over limit; negative below the limit.
  double arm = 0;         ///< Half-width of the interval towards the limit, in logarithms.
  double score = 0;       ///< Distance in standard deviations.
  double level = kLevel;  ///< Probability of a false verdict that the case may have.
};

/// Marks regressions by Holm's procedure: the clearest first, at the level divided by the remaining cases.
void find_regressions(std::vector<GateSuspect>& suspects) {
  std::vector<GateSuspect*> order;
  for (GateSuspect& suspect : suspects) order.push_back(&suspect);
  std::ranges::stable_sort(order, std::greater(), &GateSuspect::score);
  std::size_t left = suspects.size();
  bool goes_on = true;
  for (GateSuspect* suspect : order) {
    if (suspect->distance <= 0) continue;
    suspect->level = kLevel / static_cast<double>(left);
    goes_on = goes_on && suspect->is_beyond_doubt();
    if (!goes_on) continue;
    suspect->row.verdict = GateVerdict::kRegression;
    --left;
  }
}

std::int64_t repetitions_to_decide(const GateSuspect& suspect) {
  const GateCase& row = suspect.row;
  if (row.verdict != GateVerdict::kInconclusive || !row.slowdown.interval.has_value()) return 0;
  const auto now = static_cast<double>(row.repetitions);
  for (std::int64_t more = row.repetitions + 1; more <= kMostRepetitions; ++more) {
    if (suspect.is_beyond_doubt(static_cast<double>(more) / now)) return more;
  }
  return 0;
}

GateVerdict overall_verdict(const GateReport& report) {
  const auto regresses = [](const GateCase& row) { return row.verdict == GateVerdict::kRegression; };
  if (regresses(report.mean) || std::ranges::any_of(report.cases, regresses)) return GateVerdict::kRegression;
  const bool is_below = std::ranges::all_of(
      report.cases, [&](const GateCase& row) { return row.slowdown.value < 1 + report.threshold; });
  return is_below ? report.mean.verdict : GateVerdict::kInconclusive;
}

/// Returns the reason if a pair that ran in the baseline cannot be judged, else an empty text.
std::string find_obstacle(const Pair& pair) {
  return pair.other == nullptr ? "missing" : speed_ratio(pair).reason();
}

RowRatio compute_slowdown(const Pair& pair) {
  const CandidateRow old{pair.versus->base, pair.base};
  const CandidateRow now{pair.versus->other, pair.other};
  // The noise between runs or the threshold covers changes of the machine between sides measured apart.
  const Measuring measuring = find_measuring(*old.candidate, *now.candidate);
  return make_ratio(now, old, &RowFigures::process_seconds,
                    measuring == Measuring::kApart ? Measuring::kMixed : measuring);
}

}  // namespace

double compute_throughput(const RowFigures& row) { return count_samples(row) / row.seconds.value().value; }

std::vector<Ranking> rank_machines(const Comparison& comparison) {
  std::vector<Ranking> works = list_works(comparison);
  std::vector<Ranking> rankings =
      mapped(works, [&](const Ranking& work) { return rank({work}, comparison); });
  std::vector<const Candidate*> ranked;
  for (const Ranking& work : works) {
    for (const RankedMachine& machine : work.machines) add_once(ranked, machine.candidate);
  }
  std::erase_if(works, [&](const Ranking& work) { return work.machines.size() < ranked.size(); });
  if (works.size() > 1) rankings.insert(rankings.begin(), rank(works, comparison));
  return rankings;
}

std::optional<double> cost_per_million(const RankedMachine& machine) {
  constexpr double kSecondsPerHour = 3600;
  if (!machine.candidate->price_per_hour || machine.best->identity.number("train_samples") <= 0)
    return std::nullopt;
  return *machine.candidate->price_per_hour / kSecondsPerHour * 1e6 / machine.throughput;
}

GateReport judge(std::vector<GateCase> cases, const Estimate& mean, double threshold) {
  const bool has_mean = cases.size() > 1;
  const std::int64_t fewest = std::ranges::min(mapped(cases, &GateCase::repetitions));
  if (has_mean) {
    const double noise = summarize(mapped(cases, &GateCase::noise_arm)).mean;
    cases.push_back({"geometric mean", mean, std::min(fewest, kMostRepetitions)});
    cases.back().noise_arm = noise;
  }
  std::vector<GateSuspect> suspects;
  for (GateCase& one : cases) suspects.emplace_back(one, 1 + threshold);
  find_regressions(suspects);
  for (GateSuspect& suspect : suspects) {
    if (suspect.distance < 0 && suspect.is_beyond_doubt()) suspect.row.verdict = GateVerdict::kPass;
    suspect.row.repetitions_to_decide = repetitions_to_decide(suspect);
  }
  GateReport report{GateVerdict::kInconclusive, threshold, std::move(cases)};
  report.mean = report.cases.back();
  if (has_mean) report.cases.pop_back();
  report.answer = overall_verdict(report);
  return report;
}

GateReport gate(const Comparison& comparison, double threshold) {
  std::vector<GateCase> cases;
  std::vector<RowRatio> slowdowns;
  std::vector<std::string> failures;
  std::vector<std::string> obstacles;
  const RowNames names(make_identities(comparison.candidates));
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    const std::string who = comparison.versus_baseline.size() == 1 ? "" : pair_name(versus) + ", ";
    for (const Pair& pair : versus.pairs) {
      if (pair.base == nullptr || !pair.base->is_ok) continue;
      const std::string name = who + names.of(pair.base->identity);
      if (pair.other != nullptr && !pair.other->is_ok) {
        failures.push_back(
            fmt::format("{}: was ok, now {} ({})", name, pair.other->status, pair.other->status_reason));
      } else if (const std::string why = find_obstacle(pair); !why.empty()) {
        obstacles.push_back(name + ": " + why);
      } else {
        slowdowns.push_back(compute_slowdown(pair));
        cases.push_back(
            {name, slowdowns.back().ratio, std::min(pair.base->processes, pair.other->processes)});
        cases.back().noise_arm = slowdowns.back().noise_arm;
      }
    }
  }
  GateReport report{GateVerdict::kIncomparable, threshold};
  if (!cases.empty()) report = judge(std::move(cases), compute_mean(slowdowns), threshold);
  if (!failures.empty())
    report.answer = GateVerdict::kRegression;
  else if (!obstacles.empty() && report.answer != GateVerdict::kRegression)
    report.answer = GateVerdict::kIncomparable;
  report.failures = std::move(failures);
  report.obstacles = std::move(obstacles);
  return report;
}

}  // namespace gpubench
