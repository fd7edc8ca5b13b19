#include "engine/plan/plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpubench/core/stats/stats.h"
#include "support/catch.h"
#include "support/noise.h"

namespace gpubench::test::stopping_test {
namespace {

using Series = std::vector<double>;

TrainPoint fixed(std::int64_t epochs, std::int64_t warmup) {
  return {.epochs = epochs, .min_epochs = epochs, .warmup_epochs = warmup};
}

TrainPoint adaptive(double target, std::int64_t epochs = 50) {
  return {.epochs = epochs, .min_epochs = 5, .warmup_epochs = 1, .target_rel_ci95 = target};
}

Stop decide_after(const TrainPoint& rule, std::span<const double> epochs) {
  const auto rest = epochs.subspan(std::min(epochs.size(), static_cast<std::size_t>(rule.warmup_epochs)));
  return decide(rule, epochs, Seconds{std::accumulate(rest.begin(), rest.end(), 0.0)});
}

/// Epoch time in seconds, long enough that a target's minimum time is over before its minimum of epochs.
constexpr double kEpoch = 10;

Series repeated(const Series& pattern, std::size_t count) {
  Series series;
  while (series.size() < count) series.push_back(kEpoch * pattern[series.size() % pattern.size()]);
  return series;
}

const Series kCalm{1.001, 0.999, 1.002, 1.0, 0.998};

/// A machine with autocorrelated noise in its epoch times.
struct Machine {
  std::string name;
  double noise = 0;            ///< Relative standard deviation.
  double autocorrelation = 0;  ///< Correlation of neighbouring epochs.
  double spikes = 0;           ///< Probability that an epoch takes 50 % longer.
  double excess = 0;           ///< Relative extra time of the first epoch; decays to zero by the sixth.
};

Series simulated(const Machine& machine, std::size_t count, bool is_warm, std::uint64_t seed) {
  Noise noise(seed);
  Series series;
  double state = noise.normal();
  const double rho = machine.autocorrelation;
  for (std::size_t epoch = 0; epoch < count; ++epoch) {
    const double spike = noise.uniform() < machine.spikes ? 1.5 : 1;
    const double cold = is_warm ? 0 : machine.excess * std::max(0.0, 1 - static_cast<double>(epoch) / 5);
    series.push_back(kEpoch * std::exp(machine.noise * state) * spike * (1 + cold));
    state = rho * state + std::sqrt(1 - rho * rho) * noise.normal();
  }
  return series;
}

/// Returns the number of epochs after which `rule` stops a case with the epoch times `all`.
std::size_t epochs_until_stop(const TrainPoint& rule, const Series& all) {
  std::size_t count = 1;
  while (decide_after(rule, std::span(all).first(count)) == Stop::kNo) ++count;
  return count;
}

/// Returns the fraction of runs whose interval at the stop contains the long-run median.
double coverage(const Machine& machine, double target) {
  constexpr std::size_t kRuns = 100;
  const TrainPoint rule = adaptive(target);
  const double truth = compute_median(simulated(machine, 200000, true, 1));
  std::size_t covered = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const Series all = simulated(machine, 50, false, 1000 + run);
    const auto seen = std::span(all).first(epochs_until_stop(rule, all));
    const auto steady = seen.subspan(static_cast<std::size_t>(count_warmup(rule, seen)));
    const Interval interval = median_interval(steady).value();
    if (interval.low <= truth && truth <= interval.high) ++covered;
  }
  return static_cast<double>(covered) / static_cast<double>(kRuns);
}

}  // namespace

TEST_CASE("stable times reach the target soon, and noisy times run to the maximum number of epochs") {
  const Series calm = repeated(kCalm, 50);
  CHECK(decide_after(adaptive(0.02), std::span(calm).first(epochs_until_stop(adaptive(0.02), calm))) ==
        Stop::kTargetReached);
  CHECK(epochs_until_stop(adaptive(0.02), calm) < 10);

  const Series wild = repeated({1, 2, 1.5, 3, 1.2}, 50);
  CHECK(epochs_until_stop(adaptive(0.02), wild) == 50);
  CHECK(decide_after(adaptive(0.02), wild) == Stop::kMaxEpochs);
}

TEST_CASE("the target applies from the minimum number of epochs on") {
  TrainPoint rule = adaptive(0.02);
  rule.min_epochs = 20;
  CHECK(decide_after(rule, repeated(kCalm, 19)) == Stop::kNo);
  CHECK(decide_after(rule, repeated(kCalm, 20)) == Stop::kTargetReached);
}

TEST_CASE("a target is not reached before the minimum time of steady epochs") {
  Series calm = repeated(kCalm, 100);
  for (double& seconds : calm) seconds /= 10;  // About a second each.
  const auto least = static_cast<std::size_t>(kLeastSteady.value);
  const std::size_t count = epochs_until_stop(adaptive(0.02, 100), calm);
  CHECK(count >= least);
  CHECK(count <= least + 4);
  CHECK(decide_after(adaptive(0.02, 30), std::span(calm).first(30)) == Stop::kMaxEpochs);
}

TEST_CASE("the target is not reached while times still fall, even slowly") {
  Series falling;
  for (int epoch = 0; epoch < 30; ++epoch) falling.push_back(1 - 0.005 * epoch);
  CHECK(epochs_until_stop(adaptive(0.2, 30), falling) == 30);
  CHECK_FALSE(find_steady_state(falling, 1).is_steady);
}

TEST_CASE("exactly the warm-up epochs are dropped") {
  Series series{2, 1.8, 1.6, 1.4, 1.2};
  for (const double seconds : repeated(kCalm, 15)) series.push_back(seconds);
  const SteadyState state = find_steady_state(series, 1);
  CHECK(state.is_steady);
  CHECK(state.first == 5);
}

TEST_CASE("a single slow epoch is warm-up at the start and a spike elsewhere") {
  Series series = repeated(kCalm, 20);
  series[1] = 3 * kEpoch;
  CHECK(find_steady_state(series, 1).first == 2);
  series[1] = kEpoch;
  series[9] = 3 * kEpoch;
  CHECK(find_steady_state(series, 1).first == 1);
}

TEST_CASE("at most half of the epochs after the warm-up are dropped") {
  Series falling;
  for (int epoch = 0; epoch < 21; ++epoch) falling.push_back(100 - epoch);
  CHECK(find_steady_state(falling, 1).first == 1 + 10);

  Series long_fall;
  for (int epoch = 0; epoch < 401; ++epoch) long_fall.push_back(1000 - epoch);
  CHECK(find_steady_state(long_fall, 1).first == 1 + 200);
}

TEST_CASE("the warm-up is the requested one or, with a target, the detected one") {
  Series series{5, 4, 3, 2};
  for (const double seconds : repeated(kCalm, 16)) series.push_back(seconds);
  CHECK(count_warmup(fixed(20, 1), series) == 1);
  CHECK(count_warmup(adaptive(0.02), series) == find_steady_state(series, 1).first);
  CHECK(count_warmup(adaptive(0.02), series) > 1);
  CHECK(count_warmup(adaptive(0.02), Series{5}) == 1);
}

// Stopping at a narrow interval selects intervals that are narrow by chance, and the noise of a shared
// machine is autocorrelated. Together these reduce the coverage of an ordinary 95 % interval to 60 % or less.
// The intervals in series.cpp and the two checks in plan.cpp are just wide enough for more than 90 %.
TEST_CASE("the interval at the stop covers the long-run median in 90 % of the runs") {
  const std::vector<Machine> machines{
      {"independent, 2 %", 0.02, 0, 0, 0},      {"independent, 10 %", 0.1, 0, 0, 0},
      {"autocorrelated, 2 %", 0.02, 0.6, 0, 0}, {"autocorrelated, 5 %", 0.05, 0.6, 0, 0},
      {"with spikes", 0.02, 0, 0.1, 0},         {"warming up by 10 %", 0.02, 0, 0, 0.1},
      {"warming up by 50 %", 0.02, 0, 0, 0.5}};
  for (const Machine& machine : machines) {
    for (const double target : {0.02, 0.05}) {
      INFO(machine.name << ", target " << target);
      CHECK(coverage(machine, target) >= 0.9);
    }
  }
}

TEST_CASE("a minimum time adds epochs to a fixed number of epochs") {
  TrainPoint rule = fixed(3, 1);
  rule.min_timed = Seconds{25};
  CHECK(decide_after(rule, Series{90, 10, 10}) == Stop::kNo);
  CHECK(decide_after(rule, Series{90, 10, 10, 10}) == Stop::kTime);
  CHECK(decide_after(rule, Series{90, 10, 30}) == Stop::kEpochs);
  CHECK(decide_after(rule, Series{90, 30}) == Stop::kNo);
}

TEST_CASE("a target does not stop a case before its minimum time, and kMostEpochs stops any case") {
  TrainPoint rule = adaptive(0.5);
  rule.min_timed = Seconds{1000};
  CHECK(decide_after(rule, repeated(kCalm, 60)) == Stop::kNo);
  rule.min_timed = Seconds{1e9};
  CHECK(decide_after(rule, Series(kMostEpochs, 0.001)) == Stop::kMaxEpochs);
}

}  // namespace gpubench::test::stopping_test
