#include "gpubench/power_meter.h"
#include "support/catch.h"
#include "support/fake_clock.h"
#include "support/fake_machine.h"

namespace gpubench::test::battery_test {
namespace {

const std::string kBattery = "/sys/class/power_supply/BAT0/";

FakeMachine& add_battery(FakeMachine& machine, const std::string& status) {
  return machine.with(kBattery + "status", status).with(kBattery + "power_now", "17500000");
}

std::string why_none(const FakeMachine& machine) {
  std::string why_not;
  CHECK(power_meters().find("battery")->open({"", FakeClock(), machine.files()}, why_not).empty());
  return why_not;
}

PowerSources open(const FakeMachine& machine) {
  std::string why_not;
  PowerSources sources = power_meters().find("battery")->open({"", FakeClock(), machine.files()}, why_not);
  CHECK(why_not.empty());
  return sources;
}

}  // namespace

TEST_CASE("a discharging battery reports the machine's power as coarse") {
  FakeMachine machine;
  const PowerSources sources = open(add_battery(machine, "Discharging"));
  REQUIRE(sources.size() == 1);
  CHECK(sources[0].read().power.value().value == approx(17.5));
  const PowerSourceFacts facts = sources[0].facts;
  CHECK(facts.part == "BAT0");
  CHECK(facts.device.empty());
  CHECK(facts.scope == PowerScope::kBattery);
  CHECK(facts.power_quantity == "battery discharge, coarse");
}

TEST_CASE("power is current times voltage if the battery reports these, with any sign") {
  FakeMachine machine;
  machine.with(kBattery + "status", "Discharging");
  machine.with(kBattery + "current_now", "-1500000").with(kBattery + "voltage_now", "12000000");
  CHECK(open(machine).at(0).read().power.value().value == approx(18));
}

TEST_CASE("without a battery, and while plugged in, the reason names the remedy") {
  FakeMachine machine;
  CHECK(why_none(machine) == "no battery in /sys/class/power_supply; use another meter");
  CHECK(why_none(add_battery(machine, "Charging")) ==
        "BAT0 is not discharging (Charging); unplug the charger");
}

TEST_CASE("a battery that reports no power is not a source") {
  FakeMachine machine;
  machine.with(kBattery + "status", "Discharging");
  CHECK(why_none(machine) ==
        "BAT0 reports no power (cannot read /sys/class/power_supply/BAT0/current_now); use another meter");
}

TEST_CASE("readings are missing after the machine is plugged in") {
  FakeMachine machine;
  const PowerSources sources = open(add_battery(machine, "Discharging"));
  CHECK(sources.at(0).read().power.has_value());
  machine.with(kBattery + "status", "Full");
  CHECK(sources.at(0).read().power.reason() == "BAT0 is not discharging (Full); unplug the charger");
}

}  // namespace gpubench::test::battery_test
