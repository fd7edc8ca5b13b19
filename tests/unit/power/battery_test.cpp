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

TEST_CASE("a battery that discharges tells the machine's power, and that it is coarse") {
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

TEST_CASE("power is current times voltage where the battery tells these, whatever the sign") {
  FakeMachine machine;
  machine.with(kBattery + "status", "Discharging");
  machine.with(kBattery + "current_now", "-1500000").with(kBattery + "voltage_now", "12000000");
  CHECK(open(machine).at(0).read().power.value().value == approx(18));
}

TEST_CASE("a machine without a battery, and one that is plugged in, say so") {
  FakeMachine machine;
  CHECK(why_none(machine) == "no battery in /sys/class/power_supply");
  CHECK(why_none(add_battery(machine, "Charging")) == "BAT0 does not discharge (Charging)");
}

TEST_CASE("a battery that tells no power is no source") {
  FakeMachine machine;
  machine.with(kBattery + "status", "Discharging");
  CHECK(why_none(machine) == "cannot read /sys/class/power_supply/BAT0/current_now");
}

TEST_CASE("a machine that is plugged in while it works has no reading from then on") {
  FakeMachine machine;
  const PowerSources sources = open(add_battery(machine, "Discharging"));
  CHECK(sources.at(0).read().power.has_value());
  machine.with(kBattery + "status", "Full");
  CHECK(sources.at(0).read().power.reason() == "BAT0 does not discharge (Full)");
}

}  // namespace gpubench::test::battery_test
