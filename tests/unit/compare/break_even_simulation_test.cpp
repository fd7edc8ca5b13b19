// How often what is said of start-up and break-even of simulated machines is wrong.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "compare/comparison.h"
#include "gpubench/core/collect.h"
#include "gpubench/record/derived.h"
#include "support/catch.h"
#include "support/compared_runs.h"
#include "support/noise.h"

namespace gpubench::test {
namespace {

constexpr int kRuns = 500;
constexpr std::size_t kEpochs = 5;

/// Standard deviations, relative: of fresh processes, and of epochs within one.
struct Scatter {
  double between = 0;
  double within = 0;
};

const std::vector<Scatter> kMachines{{0, 0.045}, {0.03, 0.003}, {0.03, 0.045}, {0.10, 0.045}};

/// What is true of a side, in seconds.
struct Side {
  double start = 0;
  double epoch = 0;
};

/// A process of which a part of the start is set-up, and the rest is in the first epoch.
CaseRecord simulated_process(Noise& noise, const Scatter& scatter, const Side& side) {
  const double process = std::exp(scatter.between * noise.normal());
  CaseRecord record = timed_case("cnn", 128, 1, 0);
  record.setup = Seconds{0.25 * side.start * process};
  record.epoch_seconds.clear();
  while (record.epoch_seconds.size() < kEpochs) {
    const double warm_up = record.epoch_seconds.empty() ? 0.75 * side.start : 0;
    record.epoch_seconds.push_back(process *
                                   (warm_up + side.epoch * std::exp(scatter.within * noise.normal())));
  }
  return record;
}

struct Setting {
  Scatter scatter;
  std::size_t processes = 1;
};

RunRecord simulated_run(Noise& noise, const Setting& setting, const Side& side) {
  std::vector<CaseRecord> cases;
  while (cases.size() < setting.processes) {
    cases.push_back(simulated_process(noise, setting.scatter, side));
    cases.back().repeat = std::ssize(cases);
  }
  return run_on("host", "cpu", std::move(cases));
}

struct Rates {
  double told = 0;   ///< Parts of all comparisons: n* had an interval,
  double wrong = 0;  ///< which did not hold the true one.
};

Rates rates(const Setting& setting, const Side& base, const Side& other) {
  const double truth = (other.start - base.start) / (base.epoch - other.epoch);
  Noise noise(9);
  Rates rates;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<Contender> contenders;
    append(contenders, contenders_of(simulated_run(noise, setting, base), "a.json"));
    append(contenders, contenders_of(simulated_run(noise, setting, other), "b.json"));
    const Comparison comparison = compare(std::move(contenders), false);
    const Reading<BreakEven> point = break_even(comparison.duels.at(0).pairs.at(0));
    if (!point.has_value()) continue;
    const Interval interval = point.value().epochs.interval.value();
    rates.told += 1.0 / kRuns;
    if (truth < interval.low || truth > interval.high) rates.wrong += 1.0 / kRuns;
  }
  return rates;
}

constexpr Side kSlow{1, 4.3};
constexpr Side kFast{1, 3.6};
constexpr Side kFastLater{5, 3.6};

}  // namespace

TEST_CASE("of one process a side nothing is said of who is ahead") {
  for (const Scatter& scatter : kMachines) CHECK(rates({scatter, 1}, kSlow, kFast).told == 0);
}

TEST_CASE(
    "who starts equally fast is told to be ahead always, or to be overtaken, in one of twenty at most") {
  for (const Scatter& scatter : kMachines) {
    INFO("processes scatter by " << scatter.between << ", epochs by " << scatter.within);
    CHECK(rates({scatter, 3}, kSlow, kFast).wrong <= 0.06);
    CHECK(rates({scatter, 5}, kSlow, kFast).wrong <= 0.06);
  }
}

// Those that are told: where the epochs are not beyond doubt different there is no point.
TEST_CASE("the interval of the point from which on one is ahead holds the true one 19 times in 20") {
  for (const Scatter& scatter : kMachines) {
    if (scatter.between > 0.05) continue;
    for (const std::size_t processes : {5u, 8u}) {
      INFO("processes scatter by " << scatter.between << ", epochs by " << scatter.within);
      const Rates found = rates({scatter, processes}, kSlow, kFastLater);
      CHECK(found.told >= 0.8);
      CHECK(found.wrong / found.told <= 0.07);
      CHECK(found.wrong / found.told >= 0.02);
    }
  }
}

TEST_CASE(
    "the interval of a start-up in its process holds the true one, and one of nothing is not measurable") {
  for (const double within : {0.003, 0.045}) {
    Noise noise(4);
    int held = 0;
    int found = 0;
    for (int run = 0; run < kRuns; ++run) {
      const Estimate some = startup_estimate(simulated_process(noise, {0, within}, {1, 4})).value();
      if (some.interval.value().low <= 1 && 1 <= some.interval.value().high) ++held;
      CaseRecord none = simulated_process(noise, {0, within}, {0, 4});
      if (startup(none).has_value()) ++found;
    }
    INFO("epochs scatter by " << within);
    CHECK(held >= 0.95 * kRuns);
    CHECK(found <= 0.05 * kRuns);
  }
}

}  // namespace gpubench::test
