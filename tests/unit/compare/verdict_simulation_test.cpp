// Rates of wrong verdicts on simulated machines.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compare/comparison.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"
#include "support/catch.h"
#include "unit/compare/simulated_comparison.h"
#include "unit/compare/timed_rows.h"

namespace gpubench::test::verdict_simulation_test {
namespace {

constexpr int kRuns = 500;
constexpr int kManyRuns = 1500;
constexpr std::size_t kEpochs = 4;

struct Machine {
  double between = 0;  ///< Relative standard deviation between fresh processes.
  double within = 0;   ///< Relative standard deviation of epochs in a process.
};

const std::vector<Machine> kMachines{{0.03, 0.003}, {0.03, 0.05}, {0.10, 0.003}, {0.10, 0.05}};

/// Returns the epochs of each process.
std::vector<Series> simulated(Noise& noise, const Machine& machine, double seconds, std::size_t processes) {
  std::vector<Series> all(processes);
  for (Series& epochs : all) {
    const double process = seconds * std::exp(machine.between * noise.normal());
    while (epochs.size() < kEpochs) epochs.push_back(process * std::exp(machine.within * noise.normal()));
  }
  return all;
}

ComparedRow to_row(const std::vector<Series>& processes) {
  return timed_row(mapped(processes, [](const Series& epochs) { return compute_median(epochs); }));
}

struct Setting {
  Machine machine;
  std::size_t processes = 1;  ///< Processes per side.
  double ratio = 1;           ///< True ratio.
  int runs = kRuns;
};

/// Returns the fraction of the comparisons for whose outcome `is` returns true.
template <class Is>
double rate(const Setting& setting, Is is) {
  Noise noise(6);
  int found = 0;
  for (int run = 0; run < setting.runs; ++run) {
    const Candidate candidate;
    const ComparedRow base = to_row(simulated(noise, setting.machine, setting.ratio, setting.processes));
    const ComparedRow other = to_row(simulated(noise, setting.machine, 1, setting.processes));
    const Metric& time = *base.metrics.front().metric;
    if (is(decide_outcome(make_ratio({&candidate, &base}, {&candidate, &other}, time).ratio))) ++found;
  }
  return static_cast<double>(found) / setting.runs;
}

bool is_ahead(Outcome outcome) { return outcome == Outcome::kBetter || outcome == Outcome::kWorse; }
bool is_equal(Outcome outcome) { return outcome == Outcome::kEqual; }

/// Returns the fraction of the comparisons of equal machines in which the mean over 12 cases of five rounds
/// is better or worse. All cases of a round share its deviation.
double false_means(double of_round, double of_process) {
  constexpr std::size_t kCases = 12;
  Noise noise(12);
  int found = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<MetricSamples> over(kCases);
    std::vector<MetricSamples> under(kCases);
    for (std::vector<MetricSamples>* side : {&over, &under}) {
      for (std::int64_t round = 1; round <= 5; ++round) {
        const double shared = of_round * noise.normal();
        for (MetricSamples& one : *side) {
          one.rounds.push_back(round);
          one.costs.push_back(std::exp(shared + of_process * noise.normal()));
        }
      }
    }
    std::vector<RowRatio> rows;
    for (std::size_t i = 0; i < kCases; ++i)
      rows.push_back({ratio_of_medians(over[i].costs, under[i].costs), &over[i], &under[i]});
    if (is_ahead(decide_outcome(compute_mean(rows)))) ++found;
  }
  return static_cast<double>(found) / kRuns;
}

}  // namespace

TEST_CASE("one or two processes per side have no verdict") {
  for (const Machine& machine : kMachines) {
    CHECK(rate({machine, 1}, [](Outcome outcome) { return outcome == Outcome::kUnknown; }) == 1);
    CHECK(rate({machine, 2}, [](Outcome outcome) { return outcome == Outcome::kUnknown; }) == 1);
  }
}

// In 4,000 comparisons it is 4 to 5 % with three and with five processes.
TEST_CASE("about 5 % of the comparisons of equal programs find a difference") {
  for (const Machine& machine : kMachines) {
    INFO("processes scatter by " << machine.between << ", epochs by " << machine.within);
    CHECK(rate({machine, 3, 1, kManyRuns}, is_ahead) <= 0.06);
    CHECK(rate({machine, 5, 1, kManyRuns}, is_ahead) <= 0.06);
  }
}

TEST_CASE("at most 5 % of the comparisons find sides equal that differ by 20 % or by the margin") {
  for (const Machine& machine : kMachines) {
    INFO("processes scatter by " << machine.between << ", epochs by " << machine.within);
    for (const double ratio : {1.2, 1.05}) {
      CHECK(rate({machine, 3, ratio}, is_equal) <= 0.05);
      CHECK(rate({machine, 5, ratio}, is_equal) <= 0.05);
    }
  }
}

TEST_CASE("about 5 % of the comparisons of equal latency percentiles find a difference") {
  // Latencies of a request have a long tail, and each process its own speed.
  constexpr std::size_t kRequests = 200;
  Noise noise(9);
  for (const double percentile : {0.5, 0.99}) {
    const auto measure = [&] {
      std::vector<double> processes(5);
      for (double& value : processes) {
        const double process = std::exp(0.03 * noise.normal());
        Series latencies;
        while (latencies.size() < kRequests)
          latencies.push_back(process * std::exp(std::pow(noise.normal(), 2) / 8));
        value = compute_quantile(latencies, percentile);
      }
      return timed_row(processes);
    };
    int found = 0;
    for (int run = 0; run < kRuns; ++run) {
      const Candidate candidate;
      const ComparedRow base = measure();
      const ComparedRow other = measure();
      const Metric& time = *base.metrics.front().metric;
      if (is_ahead(decide_outcome(make_ratio({&candidate, &base}, {&candidate, &other}, time).ratio)))
        ++found;
    }
    INFO("percentile " << percentile << ": " << found << " of " << kRuns);
    CHECK(found * 20 <= kRuns);
  }
}

TEST_CASE("on a quiet machine equal sides are found equal, and a difference of 10 % is found") {
  const Machine quiet{0.01, 0.01};
  CHECK(rate({quiet, 5}, is_equal) >= 0.9);
  CHECK(rate({quiet, 5, 1.1}, is_ahead) >= 0.95);
}

TEST_CASE("noise shared by the cases of a round raises no false verdicts on their mean") {
  CHECK(false_means(0.05, 0.01) <= 0.06);
  CHECK(false_means(0.05, 0.05) <= 0.06);
  CHECK(false_means(0, 0.03) <= 0.06);
}

}  // namespace gpubench::test::verdict_simulation_test
