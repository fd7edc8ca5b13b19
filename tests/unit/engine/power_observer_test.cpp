#include "engine/execution/executor.h"

#include <algorithm>
#include <cmath>

#include "gpubench/record/derived.h"
#include "support/catch.h"
#include "support/fake_clock.h"
#include "unit/engine/small_run.h"

namespace gpubench::test::power_observer_test {
namespace {

/// An energy counter or mean-power sensor, read every 0.1 s: 200 W from `busy_from` to `busy_to`, else 50 W.
class FakeSampler : public PowerSampler {
 public:
  explicit FakeSampler(const FakeClock& clock) : clock_(clock) {}

  std::vector<PowerTrace> traces_since(Seconds begin) override {
    PowerTrace trace{{"fake", "package-0", "cpu", PowerScope::kCpuPackage, "", averaging, "", false}, {}};
    for (double time = begin.value; time <= clock_.now().value + 0.05; time += 0.1)
      trace.samples.push_back({Seconds{time}, reading_at(time)});
    return {trace};
  }
  double load() const override { return 0.001; }

  double busy_from = 1e9;
  double busy_to = 1e9;
  Seconds averaging{0};  ///< Averaging time of the power sensor; 0: an energy counter.
  double tail = 0;       ///< Time constant in seconds of the 60 W that decay after the load; 0: none.
  double waves = 0;      ///< Amplitude in joules of an oscillation with a period of six seconds.

 private:
  PowerReading reading_at(double time) const {
    PowerReading reading;
    if (averaging.value > 0)
      reading.power = Watts{(joules_at(time) - joules_at(time - averaging.value)) / averaging.value};
    else
      reading.energy = Joules{joules_at(time)};
    return reading;
  }
  double joules_at(double time) const {
    const double busy = std::max(0.0, std::min(time, busy_to) - busy_from);
    const double slow = time > busy_to && tail > 0 ? 60 * tail * (1 - std::exp((busy_to - time) / tail)) : 0;
    return 50 * time + 150 * busy + slow + waves * std::sin(time);
  }
  const FakeClock& clock_;
};

/// Executes cases with a set-up of 4 s and 3 epochs of 10 s.
class SlowCases : public Executor {
 public:
  SlowCases(FakeClock& clock, FakeSampler& sampler, const SmallRun& run)
      : clock_(clock), sampler_(sampler), run_(run) {}

  Result run(const Work&, const Result&, RowControl&) override {
    CaseRecord record = run_.rows.front();
    record.status = status;
    record.clock_start = clock_.now();
    clock_.advance(Seconds{4});
    if (status != RowStatus::kOk) return record;
    sampler_.busy_from = clock_.now().value;
    for (int epoch = 1; epoch <= 3; ++epoch) {
      record.timeline.push_back(
          {"epoch " + std::to_string(epoch), clock_.now() - record.clock_start.value(), Seconds{10}});
      record.epoch_seconds.push_back(10);
      clock_.advance(Seconds{10});
    }
    sampler_.busy_to = clock_.now().value;
    return record;
  }
  Pilot run_pilot(const Case&, Seconds, RowControl&) override { return {}; }

  RowStatus status = RowStatus::kOk;

 private:
  FakeClock& clock_;
  FakeSampler& sampler_;
  const SmallRun& run_;
};

struct Metered {
  Metered()
      : observer(make_power_observer(&sampler, clock, "",
                                     [this](Seconds duration) { clock.advance(duration); })) {}
  CaseRecord run() {
    return std::get<CaseRecord>(
        run_observed(small.cases.front(), small.rows.front(), control, cases, {observer.get()}));
  }

  SmallRun small;
  FakeClock clock;
  FakeSampler sampler{clock};
  RowControl control;
  SlowCases cases{clock, sampler, small};
  std::unique_ptr<Observer> observer;
};

}  // namespace

TEST_CASE("a row has the gross energy of its timed epochs, and idle power before and after") {
  Metered metered;
  const CaseRecord record = metered.run();
  REQUIRE(record.energy.size() == 1);
  const EnergyRecord& energy = record.energy.front();
  CHECK(energy.energy.value().value == approx(2 * 10 * 200).epsilon(0.01));
  CHECK(energy.epoch_joules.size() == 3);
  CHECK(energy.idle_before.value().value == approx(50).epsilon(0.02));
  CHECK(energy.idle_after.value().value == approx(50).epsilon(0.1));
  CHECK(energy.sampler_load.value() == 0.001);
  CHECK(case_energy(record).value().net_joules.value() == approx(1500).epsilon(0.02));
  CHECK(record.energy_note.empty());
}

TEST_CASE("idle power is measured after a sensor's averaging time has passed") {
  Metered metered;
  metered.sampler.averaging = Seconds{1};
  const Seconds start = metered.clock.now();
  const EnergyRecord energy = metered.run().energy.front();
  CHECK((metered.clock.now() - start).value == approx(34 + 2 * 3).margin(0.3));
  CHECK(energy.idle_after.value().value == approx(50).epsilon(0.005));
  CHECK(energy.notes.empty());
}

TEST_CASE("the idle measurement waits until power is flat") {
  Metered metered;
  metered.sampler.tail = 1;
  const Seconds start = metered.clock.now();
  const EnergyRecord energy = metered.run().energy.front();
  // The 60 W have decayed to 2.5 W by then.
  CHECK((metered.clock.now() - start).value == approx(34 + 2 + std::log(24) + 2).margin(0.6));
  CHECK(energy.idle_after.value().value == approx(50).epsilon(0.03));
  CHECK(energy.notes.empty());
}

TEST_CASE("idle power that does not settle within ten seconds is measured with a note") {
  Metered metered;
  metered.sampler.waves = 20;
  const Seconds start = metered.clock.now();
  const EnergyRecord energy = metered.run().energy.front();
  CHECK((metered.clock.now() - start).value == approx(34 + 2 * 12).margin(0.6));
  CHECK(energy.notes == std::vector<std::string>{"idle power was measured before power had settled"});
}

TEST_CASE("without a meter, each row has the reason for missing energy") {
  SmallRun small;
  FakeClock clock;
  FakeSampler sampler(clock);
  SlowCases cases(clock, sampler, small);
  const auto observer = make_power_observer(nullptr, clock, "no power meter can be read", [](Seconds) {});
  RowControl control;
  const auto record = std::get<CaseRecord>(
      run_observed(small.cases.front(), small.rows.front(), control, cases, {observer.get()}));
  CHECK(record.energy_note == "no power meter can be read");
  CHECK(case_energy(record).reason() == "no power meter can be read");
}

}  // namespace gpubench::test::power_observer_test
