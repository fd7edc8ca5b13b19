#include "gpubench/power_meter.h"
#include "support/catch.h"
#include "support/fake_clock.h"
#include "support/fake_machine.h"

namespace gpubench::test::amd_test {
namespace {

std::string find_hwmon(const std::string& card) { return "/sys/class/drm/" + card + "/device/hwmon/hwmon3/"; }

/// A card whose driver tells power the newer way.
void add_card(FakeMachine& machine, const std::string& card, const std::string& vendor = "0x1002") {
  machine.with("/sys/class/drm/" + card + "/device/vendor", vendor);
  machine.with(find_hwmon(card) + "power1_input", "212000000");
  machine.with(find_hwmon(card) + "temp1_input", "64000");
  machine.with(find_hwmon(card) + "freq1_input", "1700000000");
  machine.with(find_hwmon(card) + "power1_cap", "300000000");
}

PowerSources open(const FakeMachine& machine) {
  std::string why_not;
  return power_meters().find("amd")->open({"", FakeClock(), machine.files()}, why_not);
}

}  // namespace

TEST_CASE("a GPU of AMD tells power, temperature, clock and limit in base units") {
  FakeMachine machine;
  add_card(machine, "card0");
  const PowerSources sources = open(machine);
  REQUIRE(sources.size() == 1);
  const PowerReading reading = sources[0].read();
  CHECK(reading.power.value().value == approx(212));
  CHECK(reading.temperature.value() == Celsius{64});
  CHECK(reading.clock.value() == Hertz{1.7e9});
  CHECK(reading.limit.value().value == approx(300));
  CHECK(reading.energy.reason() == "no energy counter");
  CHECK(sources[0].facts.power_quantity == "instantaneous power");
}

TEST_CASE("a GPU of AMD says what it is; a product's name is better than the kernel's") {
  FakeMachine machine;
  add_card(machine, "card1");
  const PowerSourceFacts facts = open(machine).at(0).facts;
  CHECK(facts.meter == "amd");
  CHECK(facts.part == "GPU 0 card1");
  CHECK(facts.gpu == GpuIdentity{"", "", 0, ""});
  CHECK(facts.scope == PowerScope::kGpuBoard);
  machine.with("/sys/class/drm/card1/device/product_name", "AMD Instinct MI210");
  CHECK(open(machine).at(0).facts.part == "GPU 0 AMD Instinct MI210");
}

TEST_CASE("power that the GPU averages is named so, and an energy counter is used where there is one") {
  FakeMachine machine;
  add_card(machine, "card0");
  machine.with(find_hwmon("card0") + "power1_average", "210000000");
  machine.with(find_hwmon("card0") + "energy1_input", "9000000");
  const PowerSources sources = open(machine);
  CHECK(sources.at(0).read().power.value().value == approx(210));
  CHECK(sources.at(0).read().energy.value().value == approx(9));
  CHECK(sources.at(0).facts.power_quantity == "power averaged by the GPU");
}

TEST_CASE("a GPU that shares a chip with the processor tells the power of both") {
  FakeMachine machine;
  add_card(machine, "card0");
  machine.with(find_hwmon("card0") + "in1_label", "vddnb");
  CHECK(open(machine).at(0).facts.scope == PowerScope::kSoc);
}

TEST_CASE("of several GPUs of AMD, or beside one of NVIDIA, LibTorch's numbers are not guessed") {
  FakeMachine machine;
  add_card(machine, "card0");
  machine.with("/proc/driver/nvidia/version", "580");
  CHECK_FALSE(open(machine).at(0).facts.gpu.index.has_value());
  FakeMachine two;
  add_card(two, "card0");
  add_card(two, "card1");
  CHECK(open(two).size() == 2);
  CHECK_FALSE(open(two).at(0).facts.gpu.index.has_value());
}

TEST_CASE("a GPU of AMD is known by its PCI address and by the number of its chip") {
  FakeMachine machine;
  add_card(machine, "card0");
  machine.with("/sys/class/drm/card0/device/unique_id", "233a8c1f00ab12cd");
  machine.with("/sys/class/drm/card0/device/uevent", "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:03:00.0");
  CHECK(open(machine).at(0).facts.gpu == GpuIdentity{"GPU-233a8c1f00ab12cd", "0000:03:00.0", 0, ""});
}

TEST_CASE("cards of others, sockets of cards and cards without power are no sources") {
  FakeMachine machine;
  add_card(machine, "card0", "0x10de");
  add_card(machine, "card1-DP-1");
  machine.with("/sys/class/drm/card2/device/vendor", "0x1002");
  machine.with(find_hwmon("card2") + "temp1_input", "40000");
  std::string why_not;
  CHECK(power_meters().find("amd")->open({"", FakeClock(), machine.files()}, why_not).empty());
  CHECK(why_not == "no GPU of AMD tells its power below /sys/class/drm");
}

TEST_CASE("a GPU of AMD that vanishes in the middle reads as absent with the path") {
  FakeMachine machine;
  add_card(machine, "card0");
  const PowerSources sources = open(machine);
  machine.with_unreadable(find_hwmon("card0") + "power1_input");
  CHECK_THAT(sources.at(0).read().power.reason(), contains_text("hwmon3/power1_input"));
  CHECK(sources.at(0).read().temperature.has_value());
}

}  // namespace gpubench::test::amd_test
