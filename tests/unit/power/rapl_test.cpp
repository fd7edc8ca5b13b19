#include "gpubench/power_meter.h"
#include "support/catch.h"
#include "support/fake_clock.h"
#include "support/fake_machine.h"

namespace gpubench::test::rapl_test {
namespace {

const std::string kZones = "/sys/class/powercap/";
const std::string kHwmon = "/sys/class/hwmon/hwmon";

void add_zone(FakeMachine& machine, const std::string& zone, const std::string& name,
              const std::string& energy) {
  machine.with(kZones + zone + "/name", name);
  machine.with(kZones + zone + "/energy_uj", energy);
  machine.with(kZones + zone + "/max_energy_range_uj", "1000000000");
}

void add_sensor(FakeMachine& machine, const std::string& hwmon, const std::string& driver,
                const std::string& sensor, const std::string& label, const std::string& millidegrees) {
  machine.with(kHwmon + hwmon + "/name", driver);
  machine.with(kHwmon + hwmon + "/" + sensor + "_label", label);
  machine.with(kHwmon + hwmon + "/" + sensor + "_input", millidegrees);
}

PowerSources open(const FakeMachine& machine) {
  std::string why_not;
  PowerSources sources = power_meters().find("rapl")->open({"", FakeClock(), machine.files()}, why_not);
  CHECK(why_not.empty());
  return sources;
}

std::string why_none(const FakeMachine& machine) {
  std::string why_not;
  CHECK(power_meters().find("rapl")->open({"", FakeClock(), machine.files()}, why_not).empty());
  return why_not;
}

}  // namespace

TEST_CASE("a package counts energy from its first reading, in joules") {
  FakeMachine machine;
  add_zone(machine, "intel-rapl:0", "package-0", "5000000");
  const PowerSources sources = open(machine);
  REQUIRE(sources.size() == 1);
  CHECK(sources[0].facts.device == "cpu");
  const PowerReading first = sources[0].read();
  machine.with(kZones + "intel-rapl:0/energy_uj", "7500000");
  CHECK((sources[0].read().energy.value() - first.energy.value()).value == approx(2.5));
  CHECK_FALSE(first.power.has_value());
}

TEST_CASE("a counter that wraps continues to grow") {
  FakeMachine machine;
  add_zone(machine, "intel-rapl:0", "package-0", "999000000");
  const PowerSources sources = open(machine);
  const double before = sources[0].read().energy.value().value;
  machine.with(kZones + "intel-rapl:0/energy_uj", "3000000");
  CHECK(sources[0].read().energy.value().value - before == approx(4));
  machine.with(kZones + "intel-rapl:0/energy_uj", "5000000");
  CHECK(sources[0].read().energy.value().value - before == approx(6));
}

TEST_CASE("a counter of unknown range that wraps never falls, and no energy is assumed") {
  FakeMachine machine;
  add_zone(machine, "intel-rapl:0", "package-0", "999000000");
  machine.with(kZones + "intel-rapl:0/max_energy_range_uj", "?");
  const PowerSources sources = open(machine);
  const double before = sources[0].read().energy.value().value;
  machine.with(kZones + "intel-rapl:0/energy_uj", "3000000");
  CHECK(sources[0].read().energy.value().value - before == approx(3));
}

TEST_CASE("parts of a package and the whole machine are not sources") {
  FakeMachine machine;
  add_zone(machine, "intel-rapl:0", "package-0", "10");
  add_zone(machine, "intel-rapl:0:0", "core", "4");
  add_zone(machine, "intel-rapl:0:1", "uncore", "2");
  add_zone(machine, "intel-rapl:1", "psys", "20");
  const PowerSources sources = open(machine);
  REQUIRE(sources.size() == 1);
  CHECK(sources[0].facts.part == "package-0");
}

TEST_CASE("memory is a separate source without a device") {
  FakeMachine machine;
  add_zone(machine, "intel-rapl:0", "package-0", "10");
  add_zone(machine, "intel-rapl:0:0", "dram", "4");
  const PowerSources sources = open(machine);
  REQUIRE(sources.size() == 2);
  CHECK(sources[1].facts.part == "package-0 dram");
  CHECK(sources[1].facts.scope == PowerScope::kDram);
  CHECK(sources[1].facts.device.empty());
}

TEST_CASE("the mmio zones are used only without the other zones of the same counters") {
  FakeMachine machine;
  add_zone(machine, "intel-rapl-mmio:0", "package-0", "10");
  CHECK(open(machine).size() == 1);
  add_zone(machine, "intel-rapl:0", "package-0", "10");
  add_zone(machine, "intel-rapl:1", "package-1", "10");
  const PowerSources sources = open(machine);
  REQUIRE(sources.size() == 2);
  CHECK(sources[1].facts.part == "package-1");
}

TEST_CASE("missing and unreadable counters have reasons with a remedy") {
  FakeMachine machine;
  CHECK_THAT(why_none(machine), contains_text("no CPU energy counter in /sys/class/powercap"));
  CHECK_THAT(why_none(machine), contains_text("virtual machines and containers"));
  add_zone(machine, "intel-rapl:0", "package-0", "10");
  machine.with_unreadable(kZones + "intel-rapl:0/energy_uj");
  CHECK_THAT(why_none(machine), contains_text("cannot read /sys/class/powercap/intel-rapl:0/energy_uj"));
  CHECK_THAT(why_none(machine), contains_text("sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj"));
}

TEST_CASE("an unreadable counter is missing with its path, and continues when it is readable again") {
  FakeMachine machine;
  add_zone(machine, "intel-rapl:0", "package-0", "1000000");
  const PowerSources sources = open(machine);
  const double before = sources[0].read().energy.value().value;
  machine.with(kZones + "intel-rapl:0/energy_uj", "");
  CHECK(sources[0].read().energy.reason() == "no number in /sys/class/powercap/intel-rapl:0/energy_uj");
  machine.with(kZones + "intel-rapl:0/energy_uj", "3000000");
  CHECK(sources[0].read().energy.value().value - before == approx(2));
}

TEST_CASE("each Intel package has the temperature of its own sensor") {
  FakeMachine machine;
  add_zone(machine, "intel-rapl:0", "package-0", "0");
  add_zone(machine, "intel-rapl:1", "package-1", "0");
  add_sensor(machine, "0", "coretemp", "temp2", "Core 0", "41000");
  add_sensor(machine, "0", "coretemp", "temp1", "Package id 0", "55000");
  add_sensor(machine, "1", "coretemp", "temp1", "Package id 1", "66500");
  const PowerSources sources = open(machine);
  CHECK(sources.at(0).read().temperature.value() == Celsius{55});
  CHECK(sources.at(1).read().temperature.value() == Celsius{66.5});
}

TEST_CASE("an AMD processor has its real temperature if reported, and none with several packages") {
  FakeMachine machine;
  add_zone(machine, "intel-rapl:0", "package-0", "0");
  add_sensor(machine, "0", "k10temp", "temp1", "Tctl", "82000");
  CHECK(open(machine).at(0).read().temperature.value() == Celsius{82});
  add_sensor(machine, "0", "k10temp", "temp2", "Tdie", "55000");
  CHECK(open(machine).at(0).read().temperature.value() == Celsius{55});
  add_sensor(machine, "1", "k10temp", "temp1", "Tctl", "70000");
  CHECK_FALSE(open(machine).at(0).read().temperature.has_value());
}

}  // namespace gpubench::test::rapl_test
