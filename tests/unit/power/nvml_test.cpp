#include "power/sources.h"

#include "support/catch.h"
#include "support/paths.h"
#include "support/scoped_variable.h"

namespace gpubench::test::nvml_test {
namespace {

/// A machine with the fake library of tests/support/fake_nvml.cpp, and the sources of the meter.
class FakeDriver {
 public:
  explicit FakeDriver(const std::string& gpus, const std::string& missing = "",
                      const std::string& library = fake_nvml())
      : gpus_("FAKE_NVML_GPUS", gpus), missing_("FAKE_NVML_MISSING", missing) {
    sources_ = nvml_plugin::nvml_sources(library, why_not_);
  }

  std::size_t count() const { return sources_.size(); }
  const PowerSource& source(std::size_t index = 0) const { return sources_.at(index); }
  PowerReading read() const { return source().read(); }
  const std::string& why_not() const { return why_not_; }

 private:
  ScopedVariable gpus_;
  ScopedVariable missing_;
  std::string why_not_;
  PowerSources sources_;
};

const std::string kH200 = "NVIDIA H200=GPU-11";

}  // namespace

TEST_CASE("an NVIDIA GPU reports energy, power, temperature, clock and limit in base units") {
  const FakeDriver driver(kH200);
  REQUIRE(driver.count() == 1);
  CHECK(driver.why_not().empty());
  const PowerReading reading = driver.read();
  CHECK(reading.energy.value().value == approx(123'456.789));
  CHECK(reading.power.value().value == approx(302.5));
  CHECK(reading.temperature.value() == Celsius{61});
  CHECK(reading.clock.value() == Hertz{1.98e9});
  CHECK(reading.limit.value() == Watts{700});
  CHECK(reading.throttle.empty());
}

TEST_CASE("an NVIDIA GPU has its identity, scope and accuracy") {
  const FakeDriver driver("NVIDIA T4=GPU-11,NVIDIA H200=GPU-22");
  const PowerSourceFacts facts = driver.source(1).facts;
  CHECK(facts.meter == "nvml");
  CHECK(facts.part == "GPU 1 NVIDIA H200");
  CHECK(facts.device.empty());
  CHECK(facts.gpu == GpuIdentity{"GPU-22", "0000:02:00.0", 1, "NVIDIA H200"});
  CHECK(facts.scope == PowerScope::kGpuBoard);
  CHECK(facts.power_quantity == "instantaneous power");
  CHECK(facts.averaging == Seconds{0});
  CHECK_THAT(facts.accuracy, contains_text("5 W"));
  CHECK_FALSE(facts.is_replayed);
}

TEST_CASE("without instantaneous power, power averaged over a second is read and named so") {
  const FakeDriver driver(kH200, "instant");
  CHECK(driver.read().power.value() == Watts{303});
  CHECK(driver.source().facts.power_quantity == "power averaged over 1 s");
  CHECK(driver.source().facts.averaging == Seconds{1});
}

TEST_CASE("the old call for power is the last resort, and its quantity names both kinds") {
  const FakeDriver driver(kH200, "instant,average");
  CHECK(driver.read().power.value() == Watts{301});
  CHECK(driver.source().facts.power_quantity == "power, instantaneous or averaged over 1 s");
}

TEST_CASE("unsupported values are missing with NVML's reason") {
  const FakeDriver driver(kH200, "energy,temperature,clock,limit,reasons");
  const PowerReading reading = driver.read();
  CHECK(reading.energy.reason() == "energy counter: Not Supported");
  CHECK(reading.temperature.reason() == "temperature: Not Supported");
  CHECK(reading.clock.reason() == "clock: Not Supported");
  CHECK(reading.limit.reason() == "power limit: Not Supported");
  CHECK(reading.throttle.empty());
  CHECK(reading.power.has_value());
}

TEST_CASE("values are missing if an old driver lacks the function, and power is from the old call") {
  const FakeDriver driver(kH200, "", fake_old_nvml());
  REQUIRE(driver.count() == 1);
  CHECK(driver.read().energy.reason() == "energy counter: Function Not Found");
  CHECK(driver.read().power.value() == Watts{301});
}

TEST_CASE("a GPU that reports neither energy nor power is not a source") {
  const FakeDriver driver(kH200, "energy,instant,average,usage");
  CHECK(driver.count() == 0);
  CHECK(driver.why_not() ==
        "GPU 0 NVIDIA H200 reports neither energy nor power (energy counter: Not Supported, power: Not "
        "Supported); update the driver");
}

TEST_CASE("the values of a GPU that is lost are missing with the reason") {
  const FakeDriver driver(kH200);
  CHECK(driver.read().energy.has_value());
  const ScopedVariable lost("FAKE_NVML_LOST", "1");
  const PowerReading reading = driver.read();
  CHECK(reading.energy.reason() == "energy counter: GPU is lost");
  CHECK(reading.power.reason() == "power: GPU is lost");
  CHECK(reading.temperature.reason() == "temperature: GPU is lost");
  CHECK(reading.throttle.empty());
}

TEST_CASE("each reason for throttling is named once") {
  const FakeDriver driver(kH200);
  for (const auto& [bits, words] :
       {std::pair("0x1", ""), std::pair("0x64", "power cap, heat"), std::pair("0x8", "hardware slowdown"),
        std::pair("0x48", "heat"), std::pair("0x88", "power brake")}) {
    const ScopedVariable reasons("FAKE_NVML_REASONS", bits);
    CHECK(driver.read().throttle == words);
  }
}

TEST_CASE("a missing driver, a driver that does not start and a driver without GPUs have their own reasons") {
  const FakeDriver missing(kH200, "", "libnvidia-ml-of-nowhere.so.1");
  CHECK(missing.count() == 0);
  CHECK_THAT(missing.why_not(), contains_text("NVIDIA driver not found (libnvidia-ml-of-nowhere.so.1"));
  const ScopedVariable init("FAKE_NVML_INIT", "9");
  CHECK(FakeDriver(kH200).why_not() ==
        "the NVIDIA driver does not start: Driver Not Loaded; check the driver with nvidia-smi");
  const ScopedVariable starts("FAKE_NVML_INIT", std::nullopt);
  CHECK(FakeDriver("").why_not() == "the NVIDIA driver lists no GPU; check with nvidia-smi -L");
}

TEST_CASE("a GPU with an unknown PCI address is still a source") {
  const FakeDriver driver(kH200, "pci");
  CHECK(driver.source().facts.gpu == GpuIdentity{"GPU-11", "", 0, "NVIDIA H200"});
}

}  // namespace gpubench::test::nvml_test
