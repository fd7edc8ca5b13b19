// Rates of wrong verdicts and of found differences in comparisons of simulated runs.

#include "simulation/tables.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"
#include "simulation/machine.h"
#include "simulation/rate.h"
#include "simulation/sides.h"

namespace gpubench::test {
namespace {

/// Most rounds of `gpubench ab`.
constexpr std::size_t kMostRounds = 60;

/// Fractions of the comparisons that find a difference.
using Shares = std::array<double, kKinds>;

Shares count_differences(const Setting& setting, const Draws& draws) {
  Noise noise(draws.seed);
  Shares parts{};
  for (int i = 0; i < draws.count; ++i) {
    const std::array<bool, kKinds> found = find_differences(compared(simulated_sides(noise, setting)));
    for (std::size_t kind = 0; kind < kKinds; ++kind) parts[kind] += found[kind] ? 1.0 / draws.count : 0;
  }
  return parts;
}

/// Compares sides by their first rounds only.
Comparisons compared_after(std::size_t rounds, std::array<Side, 2> sides) {
  for (Side& side : sides) {
    for (std::vector<Candidate>* all : {&side.runs, &side.tables}) {
      for (ComparedRow& row : all->front().rows) {
        for (MetricSamples& samples : row.metrics) {
          samples.rounds.resize(std::min(rounds, samples.size()));
          samples.costs.resize(samples.rounds.size());
        }
      }
    }
  }
  return compared(sides);
}

/// Returns the fractions for sides in interleaved runs, with a difference found after any round.
Shares count_interleaved(const Machine& machine, const Draws& draws) {
  Noise noise(draws.seed);
  Shares parts{};
  for (int i = 0; i < draws.count; ++i) {
    const std::array<Side, 2> sides = simulated_sides(noise, {machine, kMostRounds, 1, true});
    std::array<bool, kKinds> found{};
    for (std::size_t rounds = kFewestRounds; rounds <= kMostRounds; ++rounds) {
      const std::array<bool, kKinds> now = find_differences(compared_after(rounds, sides));
      for (std::size_t kind = 0; kind < kKinds; ++kind) found[kind] = found[kind] || now[kind];
    }
    for (std::size_t kind = 0; kind < kKinds; ++kind) parts[kind] += found[kind] ? 1.0 / draws.count : 0;
  }
  return parts;
}

/// Returns a row with the results for one, three and five processes per side, and in interleaved runs.
std::vector<std::string> make_row(const Machine& machine, const Draws& draws) {
  const Shares settings[] = {count_differences({machine, 1}, draws), count_differences({machine, 3}, draws),
                             count_differences({machine, 5}, draws), count_interleaved(machine, draws)};
  std::vector<std::string> row{
      fmt::format("{}, {}, within {}", machine.process.name, machine.spread.name, percent(machine.within))};
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const auto part = [&](std::size_t setting) { return 100 * settings[setting][kind]; };
    row.push_back(fmt::format("{:.0f}, {:.1f}, {:.1f}, {:.1f}", part(0), part(1), part(2), part(3)));
  }
  return row;
}

/// Returns normally distributed logarithms with a standard deviation of `scatter`.
Spread normal_spread(double scatter) {
  return {"processes " + percent(scatter), known_spreads(scatter).front().factor};
}

std::vector<Machine> machines() {
  const std::vector<Process>& processes = known_processes();
  std::vector<Machine> all;
  for (const double scatter : {0.0, 0.03, 0.1}) {
    for (const double within : {0.003, 0.009, 0.045})
      all.push_back({processes.at(2), within, normal_spread(scatter)});
  }
  for (const Process& process : processes) all.push_back({process, 0.045, normal_spread(0.03)});
  for (const Spread& spread : known_spreads(0.1)) all.push_back({processes.front(), 0.009, spread});
  all.push_back({processes.front(), 0.009, recorded_spread()});
  return all;
}

/// Returns the setting of a comparison with a slowdown.
Setting slowed(double slowdown, double scatter, std::size_t processes, bool is_alternating) {
  return {{known_processes().at(2), 0.01, normal_spread(scatter)}, processes, slowdown, is_alternating};
}

/// First verdicts of interleaved runs with one process per round.
struct FirstVerdicts {
  int slower = 0;
  int equal = 0;
  std::vector<double> rounds;  ///< Rounds of each interleaved_run; kMostRounds + 1 without a verdict.

  void add(Outcome outcome, std::size_t after) {
    slower += outcome == Outcome::kWorse ? 1 : 0;
    equal += outcome == Outcome::kEqual ? 1 : 0;
    rounds.push_back(static_cast<double>(after));
  }

  /// "99.0 % in 9 rounds, equal 1.0 %".
  std::string text() const {
    const double median = compute_median(rounds);
    const auto count = static_cast<double>(rounds.size());
    return fmt::format("{} in {}, equal {}", percent(slower / count),
                       median > kMostRounds ? "more" : fmt::format("{:.0f}", median), percent(equal / count));
  }
};

bool is_verdict(Outcome outcome) { return outcome != Outcome::kInconclusive && outcome != Outcome::kUnknown; }

/// Adds the first verdict of `decide_outcome` and its number of rounds.
template <class OutcomeOf>
void add_first(FirstVerdicts& verdicts, const std::array<Side, 2>& sides, OutcomeOf decide_outcome) {
  for (std::size_t rounds = kFewestRounds; rounds <= kMostRounds; ++rounds) {
    const Outcome outcome = decide_outcome(compared_after(rounds, sides).runs);
    if (is_verdict(outcome)) return verdicts.add(outcome, rounds);
  }
  verdicts.add(Outcome::kInconclusive, kMostRounds + 1);
}

std::vector<std::string> make_interleaved_cells(double slowdown, double scatter, const Draws& draws) {
  Noise noise(draws.seed);
  FirstVerdicts of_case;
  FirstVerdicts of_mean;
  for (int i = 0; i < draws.count; ++i) {
    const auto sides = simulated_sides(noise, slowed(slowdown, scatter, kMostRounds, true));
    add_first(of_case, sides, [](const Comparison& all) { return outcome_of_case(all); });
    add_first(of_mean, sides, outcome_of_mean);
  }
  return {of_case.text(), of_mean.text()};
}

constexpr std::array kScatters = {0.005, 0.01, 0.03};
constexpr std::array kSlowdowns = {1.03, 1.1};

std::string make_name(double slowdown, double scatter) {
  return fmt::format("{} slower, processes {}", percent(slowdown - 1), percent(scatter));
}

}  // namespace

void print_false_verdicts(const Draws& draws) {
  std::vector<std::vector<std::string>> rows;
  for (const Machine& machine : machines()) rows.push_back(make_row(machine, draws));
  print_table({"machine", "a case", "mean of 6 cases", "energy", "operation", "gate 5 %"}, rows);
}

void print_power(const Draws& draws) {
  std::vector<std::vector<std::string>> rows;
  for (const double scatter : kScatters) {
    for (const double slowdown : kSlowdowns) {
      std::vector<std::string>& row = rows.emplace_back(1, make_name(slowdown, scatter));
      for (const std::size_t processes : {3u, 5u, 10u, 20u}) {
        const Shares parts = count_differences(slowed(slowdown, scatter, processes, false), draws);
        row.push_back(fmt::format("{}, mean {}", percent(parts[0]), percent(parts[1])));
      }
    }
  }
  print_table({"a case, and the mean of 6 cases", "3", "5", "10", "20"}, rows);
}

void print_interleaved_power(const Draws& draws) {
  std::vector<std::vector<std::string>> rows;
  for (const double scatter : kScatters) {
    for (const double slowdown : {1.0, 1.03, 1.1}) {
      std::vector<std::string>& row = rows.emplace_back(1, make_name(slowdown, scatter));
      append(row, make_interleaved_cells(slowdown, scatter, draws));
    }
  }
  print_table({"in interleaved runs", "a case", "mean of 6 cases"}, rows);
}

}  // namespace gpubench::test
