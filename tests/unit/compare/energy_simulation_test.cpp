// How often equal programs are told to need different energies.

#include <cmath>
#include <cstdint>
#include <vector>

#include "compare/comparison.h"
#include "compare/verdict.h"
#include "power/trace/energy_account.h"
#include "support/catch.h"
#include "support/compared_runs.h"
#include "support/synthetic_meters.h"

namespace gpubench::test {
namespace {

/// Standard deviation between fresh processes, relative: of their time and of their power.
constexpr double kBetween = 0.02;

/// Verdicts on runs of equal programs, of energy or of its product with time.
struct Tally {
  int runs = 0;
  int false_ones = 0;
  int equal = 0;
  int unknown = 0;

  void count(const Reading<Estimate>& ratio) {
    const Outcome outcome = outcome_of(ratio.value());
    ++runs;
    if (outcome == Outcome::kBetter || outcome == Outcome::kWorse) ++false_ones;
    if (outcome == Outcome::kEqual) ++equal;
    if (outcome == Outcome::kUnknown) ++unknown;
  }
  double false_rate() const { return static_cast<double>(false_ones) / runs; }
};

struct Tallies {
  Tally energy;
  Tally product;

  void count(const Contender& base, const Contender& other) {
    const Comparison comparison = compare({base, other}, false);
    energy.count(energy_ratio(comparison.duels.at(0).pairs.at(0)));
    product.count(energy_delay_ratio(comparison.duels.at(0).pairs.at(0)));
  }
};

/// Processes of which each knows its own energy to 0.5 %.
Contender simulated_side(Noise& noise, const std::string& file, std::int64_t processes) {
  Contender side;
  side.file = file;
  RowFigures row{identity_of(timed_case("mlp", 32, 1, 0))};
  for (std::int64_t i = 1; i <= processes; ++i) {
    const double seconds = std::exp(kBetween * noise.normal());
    const double joules = 100 * seconds * std::exp(kBetween * noise.normal());
    row.process_seconds.add(i, seconds);
    row.process_joules.add(i, joules);
    row.process_joule_seconds.add(i, joules * seconds);
  }
  const auto known = [](const RoundFigures& figures) {
    const double median = median_of(figures.values);
    return Estimate{median, Interval{0.995 * median, 1.005 * median}};
  };
  row.is_ok = true;
  row.processes = processes;
  row.seconds = known(row.process_seconds);
  row.epoch_joules = known(row.process_joules);
  row.energy.scope = "gpu-board";
  row.energy.meter = "nvml";
  side.rows = {row};
  return side;
}

Tallies simulated(std::int64_t processes, int runs) {
  Noise noise(9);
  Tallies tallies;
  for (int run = 0; run < runs; ++run) {
    const Contender base = simulated_side(noise, "a.json", processes);
    tallies.count(base, simulated_side(noise, "b.json", processes));
  }
  return tallies;
}

/// A case in a process of its own: five epochs from 2 s on, the first a warm-up, while a log is replayed.
CaseRecord replayed_case(Noise& noise, std::int64_t repeat) {
  constexpr double kEpoch = 4;
  CaseRecord record = timed_case("mlp", 32, kEpoch * std::exp(kBetween * noise.normal()), 0);
  record.repeat = repeat;
  double end = 2;
  for (std::size_t i = 0; i < record.epoch_seconds.size(); ++i) {
    record.timeline.push_back({"epoch " + std::to_string(i + 1), {end}, {record.epoch_seconds[i]}});
    end += record.epoch_seconds[i];
  }
  const double watts = 250 * std::exp(kBetween * noise.normal());
  const Load load(end + 2,
                  [&](double time) { return (time < 2 || time > end ? 60 : watts) + 5 * noise.normal(); });
  MeterModel model;
  model.period = 0.1;
  model.averaging = 0.1;
  model.is_replayed = true;
  record.device = "cuda:0";
  record.energy = {account_for(trace_of(load, model, end + 2, 0.1), record, {{Load::kOrigin}})};
  return record;
}

Contender replayed_side(Noise& noise, const std::string& file, std::int64_t processes) {
  std::vector<CaseRecord> cases;
  for (std::int64_t i = 1; i <= processes; ++i) cases.push_back(replayed_case(noise, i));
  return contenders_of(run_on("host", "cuda:0", std::move(cases)), file).at(0);
}

Tallies replayed(std::int64_t processes, int runs) {
  Noise noise(4);
  Tallies tallies;
  for (int run = 0; run < runs; ++run) {
    const Contender base = replayed_side(noise, "a.json", processes);
    tallies.count(base, replayed_side(noise, "b.json", processes));
  }
  return tallies;
}

}  // namespace

TEST_CASE("of one process a side neither needs less, whatever its own interval says") {
  const Tallies tallies = simulated(1, 500);
  CHECK(tallies.energy.unknown == 500);
  CHECK(tallies.product.unknown == 500);
}

TEST_CASE("of three and of five processes a side one needs less in at most one of twenty comparisons") {
  const Tallies three = simulated(3, 1500);
  CAPTURE(three.energy.false_ones, three.product.false_ones);
  CHECK(three.energy.false_rate() <= 0.06);
  CHECK(three.product.false_rate() <= 0.06);
  const Tallies five = simulated(5, 1500);
  CAPTURE(five.energy.false_ones, five.product.false_ones);
  CHECK(five.energy.false_rate() <= 0.06);
  CHECK(five.product.false_rate() <= 0.06);
}

TEST_CASE("replayed meters tell no more: from samples of power to the verdict") {
  CHECK(replayed(1, 10).energy.unknown == 10);
  const Tallies three = replayed(3, 40);
  CAPTURE(three.energy.false_ones, three.product.false_ones);
  CHECK(three.energy.unknown == 0);
  CHECK(three.energy.false_ones <= 4);
  CHECK(three.product.false_ones <= 4);
}

}  // namespace gpubench::test
