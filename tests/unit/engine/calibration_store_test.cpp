#include <fstream>

#include "engine/machine/facts.h"
#include "engine/machine/stores.h"
#include "support/catch.h"
#include "support/temp_dir.h"

namespace gpubench::test {
namespace {

constexpr const char* kCalibrated = "2026-05-01T10:00:00Z";

Environment machine() {
  Environment environment;
  environment.cpu = "Processor 9000";
  environment.threads = 2;
  environment.libtorch_version = "2.11.0";
  environment.governor = std::string("performance");
  return environment;
}

DeviceRecord gpu() {
  DeviceRecord device{"cuda:0", "GPU 6000", absent("unknown"), std::string("550.1"), absent("unknown")};
  device.power_limit = Watts{300};
  return device;
}

/// A store in a folder of its own, in which `gpu()` of `machine()` is calibrated.
struct Fixture {
  Fixture() { store.keep({{1.0, 1.1}, kCalibrated, "0.1.0"}, gpu(), machine()); }

  Reading<Calibration> found(const DeviceRecord& device,
                             const std::string& now = "2026-05-02T00:00:00Z") const {
    return store.find(device, machine(), now);
  }
  std::string refusal(const DeviceRecord& device, const std::string& now = "2026-05-02T00:00:00Z") const {
    return found(device, now).reason();
  }

  TempDir dir;
  CalibrationStore store{MachineCache(dir.path())};
};

}  // namespace

TEST_CASE("a calibration is found again with its date and who made it") {
  const Fixture fixture;
  const Calibration found = fixture.found(gpu()).value();
  CHECK(found.seconds == std::vector<double>{1.0, 1.1});
  CHECK(found.calibrated_at == kCalibrated);
  CHECK(found.version == "0.1.0");
}

TEST_CASE("a calibration is refused where driver, power limit or governor changed") {
  const Fixture fixture;
  DeviceRecord device = gpu();
  device.driver = std::string("560.2");
  CHECK(fixture.refusal(device) ==
        "calibrated on 2026-05-01 with driver 550.1, which is 560.2 now; run 'gpubench calibrate' again");
  device = gpu();
  device.power_limit = Watts{250};
  CHECK_THAT(fixture.refusal(device), contains_text("with power limit 300 W, which is 250 W now"));
  Environment slower = machine();
  slower.governor = std::string("powersave");
  CHECK_THAT(fixture.store.find(gpu(), slower, kCalibrated).reason(),
             contains_text("with CPU governor performance, which is powersave now"));
}

TEST_CASE("what is not known on either side is no change") {
  const Fixture fixture;
  DeviceRecord device = gpu();
  device.power_limit = absent("no power meter reads this device");
  CHECK(fixture.found(device).has_value());
  fixture.store.keep({{2.0}, kCalibrated, "0.1.0"}, device, machine());
  CHECK(fixture.found(gpu()).has_value());
}

TEST_CASE("a calibration holds for 90 days") {
  const Fixture fixture;
  CHECK(fixture.found(gpu(), "2026-07-29T00:00:00Z").has_value());
  CHECK_THAT(fixture.refusal(gpu(), "2026-07-30T00:00:00Z"),
             contains_text("calibrated on 2026-05-01, 90 days ago"));
}

TEST_CASE("a calibration without a date is asked for again, and so is what was never calibrated") {
  const Fixture fixture;
  for (const auto& entry : std::filesystem::directory_iterator(fixture.dir.path())) {
    std::string key;
    std::getline(std::ifstream(entry.path()), key);
    std::ofstream(entry.path()) << key << "\n[1.0, 1.1]";
  }
  CHECK_THAT(fixture.refusal(gpu()), contains_text("no date"));
  fixture.store.keep({{1.0}, "lately", "0.1.0"}, gpu(), machine());
  CHECK_THAT(fixture.refusal(gpu()), contains_text("no date"));
  DeviceRecord other = gpu();
  other.model = "GPU 7000";
  CHECK(fixture.refusal(other) == "not calibrated; run 'gpubench calibrate'");
}

TEST_CASE("the power limit is that of the source that reads the device") {
  const auto source = [](const char* device, double watts) {
    return PowerSource{{.device = device}, [watts] { return PowerReading{.limit = Watts{watts}}; }};
  };
  const PowerSources sources = {source("cuda:0", 300), source("cuda:1", 250)};
  CHECK(power_limit_in(sources, "cuda:1") == Reading<Watts>(Watts{250}));
  CHECK_FALSE(power_limit_in(sources, "mps").has_value());
}

}  // namespace gpubench::test
