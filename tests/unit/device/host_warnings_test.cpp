#include "device/host/host.h"
#include "support/catch.h"
#include "support/warnings.h"

namespace gpubench::test::host_warnings_test {
namespace {

using Warnings = std::vector<std::string>;

/// Returns the state at time `at` of a four-core machine without disturbances.
HostState calm(double at) {
  HostState state;
  state.at = {at};
  state.cores = 4;
  state.asleep = Seconds{50};
  state.busy = Seconds{1000};
  state.stolen = Seconds{20};
  state.out_of_memory_kills = std::int64_t{1};
  state.throttle_events = std::int64_t{7};
  state.governor = std::string("performance");
  state.is_on_battery = false;
  state.is_saving_power = false;
  state.thermal_pressure = std::string("nominal");
  return state;
}

}  // namespace

TEST_CASE("a calm machine gives no warning") {
  HostState after = calm(10);
  after.busy = Seconds{1021};  // 20 s are the case's own; the other 1 s of 40 s is 2.5 %.
  after.stolen = Seconds{20.4};
  after.asleep = Seconds{50.1};
  CHECK(make_texts(host_warnings(calm(0), after, Seconds{20})) == Warnings{});
}

TEST_CASE("all disturbances give warnings with their figures, in a fixed order") {
  HostState after = calm(10);
  after.busy = Seconds{1034};  // Other processes used 14 s of 40 s.
  after.stolen = Seconds{24.8};
  after.asleep = Seconds{3650};
  after.is_on_battery = true;
  after.is_saving_power = true;
  after.governor = std::string("performance, powersave");
  after.throttle_events = std::int64_t{1021};
  after.thermal_pressure = std::string("heavy");
  CHECK(make_texts(host_warnings(calm(0), after, Seconds{20})) ==
        Warnings{"other processes used 35 % of the CPU time", "the hypervisor took 12 % of the CPU time",
                 "the machine slept for 3,600 s", "on battery", "low power mode is on",
                 "CPU frequency governor is performance, powersave",
                 "the CPU throttled due to heat: 1,014 events on its cores", "thermal pressure: heavy"});
}

TEST_CASE("the case's own CPU time does not count as other processes") {
  HostState after = calm(10);
  after.busy = Seconds{1040};
  CHECK(make_texts(host_warnings(calm(0), after, Seconds{40})) == Warnings{});
  CHECK(make_texts(host_warnings(calm(0), after, Seconds{30})) ==
        Warnings{"other processes used 25 % of the CPU time"});
}

TEST_CASE("a case that is too short for shares of the CPU time gives no warning") {
  HostState after = calm(0.05);
  after.busy = Seconds{1000.1};
  CHECK(make_texts(host_warnings(calm(0), after, Seconds{0})) == Warnings{});
}

TEST_CASE("a disturbance at the start of the case gives a warning too") {
  HostState before = calm(0);
  before.is_on_battery = true;
  before.is_saving_power = true;
  before.governor = std::string("conservative");
  before.thermal_pressure = std::string("moderate");
  CHECK(make_texts(host_warnings(before, calm(10), Seconds{0})) ==
        Warnings{"on battery", "low power mode is on", "CPU frequency governor is conservative",
                 "thermal pressure: moderate"});
}

TEST_CASE("stops by a CPU quota give a warning") {
  HostState before = calm(0);
  before.quota_stops = std::int64_t{5};
  before.quota_stopped = Seconds{2};
  HostState after = calm(10);
  after.quota_stops = std::int64_t{42};
  after.quota_stopped = Seconds{3.75};
  const auto warnings = host_warnings(before, after, Seconds{0});
  REQUIRE(make_texts(warnings) == Warnings{"the CPU quota stopped threads 37 times, for 1.75 s in total"});
  CHECK(warnings.front().kind == WarningKind::kCpuQuota);
  CHECK(warnings.front().figure == 1.75);

  after = calm(10);
  after.quota_stops = before.quota_stops;
  after.quota_stopped = before.quota_stopped;
  CHECK(make_texts(host_warnings(before, after, Seconds{0})) == Warnings{});
}

TEST_CASE("threads without a core give a warning with the cause") {
  HostState before = calm(0);
  before.core_wait = Seconds{100};
  HostState after = calm(10);
  after.core_wait = Seconds{106};  // 30 % of the time of two threads.
  const auto warnings = [&](bool spins) {
    return core_wait_warnings(before, after, Seconds{20}, /*threads=*/2, spins);
  };
  CHECK(make_texts(warnings(true)) ==
        Warnings{"threads had no core for 30 % of the time: there are more threads "
                 "than free cores; use fewer --threads"});
  CHECK(warnings(true).front().kind == WarningKind::kCoreWait);
  CHECK(warnings(true).front().figure == approx(0.3));

  after.busy = Seconds{1036};  // Other processes used 16 s of 40 s.
  CHECK(make_texts(warnings(false)) ==
        Warnings{"threads had no core for 30 % of the time: other processes used "
                 "40 % of the CPU time; end them"});
  CHECK_THAT(make_texts(warnings(true)).front(), contains_text("; end them, or set OMP_WAIT_POLICY=passive"));

  after.busy = Seconds{1020};
  before.quota_stops = std::int64_t{1};
  after.quota_stops = std::int64_t{2};
  CHECK_THAT(make_texts(warnings(true)).front(), contains_text("the CPU quota stopped them"));

  after.core_wait = Seconds{101.9};
  CHECK(warnings(true).empty());
  after.core_wait = missing("unknown");
  CHECK(warnings(true).empty());
}

}  // namespace gpubench::test::host_warnings_test
