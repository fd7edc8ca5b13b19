#include <algorithm>
#include <cmath>
#include <vector>

#include "power/trace/energy_account.h"
#include "power/trace/integration.h"
#include "support/catch.h"
#include "support/synthetic_loads.h"

namespace gpubench::test::energy_account_test {

namespace {

constexpr Seconds kCaseStart{Load::kOrigin + 10};

/// Five epochs of 5 s from 12 s on, each with 1 s of validation. The first is warm-up.
CaseRecord five_epochs() {
  CaseRecord record;
  record.warmup_epochs = 1;
  record.timeline.push_back({"build", {0}, {1}});
  for (int i = 0; i < 5; ++i) {
    const std::string number = std::to_string(i + 1);
    record.timeline.push_back({"epoch " + number, {2 + 6.0 * i}, {5}});
    record.timeline.push_back({"validation " + number, {7 + 6.0 * i}, {1}});
    record.epoch_seconds.push_back(5);
  }
  record.timeline.push_back({"epoch count", {40}, {1}});
  return record;
}

/// 60 W when idle, 150 W between the epochs, and 200 W, 210 W, ... in them.
Load load_of_epochs() {
  Noise noise(3);
  return Load(60, [&](double time) {
    const double since = time - 12;
    if (since < 0 || since >= 30) return 60 + noise.normal();
    const double epoch = std::floor(since / 6);
    return (since - 6 * epoch < 5 ? 200 + 10 * epoch : 150) + noise.normal();
  });
}

PowerTrace trace_by(const Load& load, bool is_counter, bool is_replayed = false) {
  MeterModel model;
  model.is_counter = is_counter;
  model.period = 0.02;
  model.averaging = 0.02;
  model.is_replayed = is_replayed;
  return make_trace(load, model, 60, 0.02, 0.1);
}

EnergyTimes with_idle() { return {kCaseStart, between(2, 9), between(50, 58)}; }

bool has_note(const EnergyRecord& energy, const std::string& note) {
  return std::find(energy.notes.begin(), energy.notes.end(), note) != energy.notes.end();
}

}  // namespace

TEST_CASE("energy includes the epochs after the warm-up, and each epoch has its own energy") {
  const Load load = load_of_epochs();
  for (const bool is_counter : {false, true}) {
    const EnergyRecord energy = account_for(trace_by(load, is_counter), five_epochs(), with_idle());
    const double expected = 5 * (210 + 220 + 230 + 240);
    REQUIRE(energy.energy.has_value());
    CHECK(energy.energy.value().value == approx(expected).epsilon(0.01));
    CHECK(energy.window == Seconds{20});
    REQUIRE(energy.epoch_joules.size() == 5);
    for (int i = 0; i < 5; ++i) {
      CHECK(energy.epoch_joules[static_cast<std::size_t>(i)] == approx(5 * (200 + 10 * i)).epsilon(0.02));
    }
    CHECK(energy.idle_before.value().value == approx(60).epsilon(0.02));
    CHECK(energy.idle_after.value().value == approx(60).epsilon(0.02));
    CHECK(energy.coverage.value() == 1);
    CHECK(energy.samples == approx(1000).epsilon(0.02));
    CHECK(energy.peak.value().value == approx(243).epsilon(0.05));
    CHECK(energy.quantity == (is_counter ? "energy counter" : "instantaneous power"));
    CHECK(energy.notes.empty());
  }
}

TEST_CASE("without idle times, the energy is known and idle power is missing with the reason") {
  const EnergyRecord energy = account_for(trace_by(load_of_epochs(), true), five_epochs(), {kCaseStart});
  CHECK(energy.energy.has_value());
  CHECK(energy.idle_before.reason() == "not measured");
}

TEST_CASE("the curve of power extends from idle to idle with at most 240 points") {
  const Load load = load_of_epochs();
  const EnergyRecord energy = account_for(trace_by(load, true), five_epochs(), with_idle());
  CHECK(energy.watts.size() == 240);
  CHECK(energy.watts_start.value().value == approx(-8));
  CHECK(energy.watts_step.value().value == approx(56.0 / 240));
  double joules = 0;
  for (const double watts : energy.watts) joules += watts * energy.watts_step.value().value;
  CHECK(joules == approx(load.joules(between(2, 58))).epsilon(0.01));
}

TEST_CASE("epochs too short for the source have no joules, and gaps in the readings are gaps in the curve") {
  const Load load = load_of_epochs();
  PowerTrace trace = trace_by(load, true);
  CaseRecord record = five_epochs();
  record.timeline[1].duration = {0.02};
  std::erase_if(trace.samples, [](const PowerSample& sample) {
    return sample.time.value > Load::kOrigin + 44 && sample.time.value < Load::kOrigin + 48;
  });
  const EnergyRecord energy = account_for(trace, record, with_idle());
  CHECK(std::isnan(energy.epoch_joules[0]));
  CHECK(energy.epoch_joules[1] > 0);
  CHECK_FALSE(std::isnan(energy.watts[(40 - 2) * 240 / 56]));
  CHECK(std::isnan(energy.watts[(46 - 2) * 240 / 56]));
}

TEST_CASE("each epoch has its own temperature, clock, limit and throttling") {
  const Load load = load_of_epochs();
  PowerTrace trace = trace_by(load, false);
  for (PowerSample& sample : trace.samples) {
    const double since = sample.time.value - Load::kOrigin;
    sample.reading.temperature = Celsius{since};
    sample.reading.clock = Hertz{1e9 + 1e6 * since};
    sample.reading.limit = Watts{since < 20 ? 700.0 : 500.0};
    if (since > 20 && since < 21) sample.reading.throttle = "power cap";
    if (since > 21 && since < 22) sample.reading.throttle = "heat, power cap";
  }
  const EnergyRecord energy = account_for(trace, five_epochs(), with_idle());
  CHECK(energy.temperature_celsius[0] == approx(17).epsilon(0.01));
  CHECK(energy.clock_hertz[0] == approx(1.0145e9).epsilon(0.001));
  CHECK(energy.epoch_limit_watts[0] == 700);
  CHECK(energy.epoch_limit_watts[2] == 500);
  CHECK(energy.epoch_throttle == std::vector<std::string>{"", "power cap, heat", "", "", ""});
}

TEST_CASE("notes name logs, gaps, the maker's accuracy and the bias of spike-q30") {
  const Load load = load_of_epochs();
  PowerTrace trace = trace_by(load, false, true);
  trace.facts.accuracy = "5 % by its maker";
  std::erase_if(trace.samples, [](const PowerSample& sample) {
    return sample.time.value > Load::kOrigin + 25 && sample.time.value < Load::kOrigin + 25.8;
  });
  const EnergyRecord energy = account_for(trace, five_epochs(), with_idle(), EnergyMethod::kSpikeQ30);
  CHECK(has_note(energy, "replayed from a log, not measured"));
  CHECK(has_note(energy, "bridged a gap of 0.8 s"));
  CHECK(has_note(energy, "spike-q30 ignores the lower samples: biased upward"));
  CHECK(has_note(energy, "5 % by its maker"));
  CHECK(energy.method == EnergyMethod::kSpikeQ30);
  CHECK(std::isnan(energy.epoch_joules[0]));
  CHECK(energy.epoch_joules[1] == approx(energy.energy.value().value / 4));
}

TEST_CASE("without epochs, and without samples, the energy is missing with a reason") {
  CaseRecord record;
  const Load load = load_of_epochs();
  const EnergyRecord energy = account_for(trace_by(load, true), record, with_idle());
  CHECK(energy.energy.reason() == "no epoch after the warm-up");
  CHECK(energy.epoch_joules.empty());
  CHECK(energy.watts.size() == 240);
  const EnergyRecord nothing = account_for(PowerTrace{}, five_epochs(), with_idle());
  CHECK(nothing.energy.reason() == "no reading");
  CHECK(nothing.watts.empty());
}

}  // namespace gpubench::test::energy_account_test
