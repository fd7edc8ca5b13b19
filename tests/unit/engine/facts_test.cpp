#include "engine/machine/facts.h"

#include "support/catch.h"
#include "support/fake_clock.h"
#include "support/scoped_variable.h"
#include "support/temp_dir.h"

namespace gpubench::test {
namespace {

class FakeDevice : public Device {
 public:
  std::string name() const override { return "cpu"; }
  DeviceRecord record() const override {
    return {"cpu", "Processor 9000", absent("unknown"), absent("none"), std::string("made up")};
  }
  void synchronize() override {}
};

/// An engine with one device, whose roof is what `flops` says.
class FakeEngine : public Engine {
 public:
  const Catalog<ModelEntry>& models() const override { return models_; }
  const Catalog<DeviceEntry>& device_kinds() const override { return kinds_; }
  std::vector<std::string> usable_devices() const override { return {"cpu"}; }
  std::string resolve_device(const std::string&) const override { return "cpu"; }
  std::unique_ptr<Device> open_device(const std::string&) const override {
    return std::make_unique<FakeDevice>();
  }
  Environment read_environment() const override {
    Environment environment;
    environment.cpu = "Processor 9000";
    environment.threads = threads_;
    return environment;
  }
  int configure(int threads) const override { return threads_ = threads; }
  ModelCost model_cost(const ModelEntry&) const override { return {}; }
  CaseRecord run_case(const Case&, const Dataset&, Device&, const Clock&, CaseMonitor&) const override {
    return {};
  }
  Pilot run_pilot(const Case&, const Dataset&, Device&, const Clock&, Seconds) const override { return {}; }
  PeakMeasurement measure_peak(Device& device, const Clock&, PeakEffort effort,
                               const TellPoint&) const override {
    CHECK(effort == PeakEffort::kTrial);
    ++trials;
    PeakMeasurement measured{device.record(), {{PeakKind::kGemm, "fp32", 1024, flops}}};
    set_peak(measured.device, measured.points, "2024-02-03T04:05:06Z");
    return measured;
  }
  std::vector<OpInfo> operations() const override { return {}; }
  void check_operation(const std::string&, const OpCase&) const override {}
  OpRecord run_operation(const std::string&, const OpRequest&, Device&, const Clock&) const override {
    return {};
  }

  double flops = 1e11;
  mutable int trials = 0;

 private:
  Catalog<ModelEntry> models_{"model", {}};
  Catalog<DeviceEntry> kinds_{"device", {}};
  mutable int threads_ = 0;
};

double fp32_of(const EngineFacts& facts) {
  REQUIRE(facts.environment.devices.size() == 1);
  return facts.environment.devices[0].peak_flops_per_second.value().front().second;
}

}  // namespace

TEST_CASE("runs make trials of the roof until enough are stored, and each has the best so far") {
  const TempDir cache;
  const ScopedVariable variable("XDG_CACHE_HOME", cache.path().string());
  FakeEngine engine;
  const auto gather = [&](int threads) {
    return gather_facts(engine, FakeClock(), {{"auto", "cpu"}, threads});
  };
  CHECK(fp32_of(gather(2)) == 1e11);
  engine.flops = 3e11;
  CHECK(fp32_of(gather(2)) == 3e11);
  engine.flops = 2e11;
  const EngineFacts third = gather(2);
  CHECK(fp32_of(third) == 3e11);
  CHECK(third.environment.devices[0].architecture == Reading<std::string>("made up"));
  CHECK(engine.trials == 3);

  CHECK(fp32_of(gather(2)) == 3e11);
  CHECK(engine.trials == 3);
  CHECK(fp32_of(gather(1)) == 2e11);
  CHECK(engine.trials == 4);
}

TEST_CASE("without a folder for caches every run makes a trial") {
  const ScopedVariable cache("XDG_CACHE_HOME", std::nullopt);
  const ScopedVariable home("HOME", std::nullopt);
  const FakeEngine engine;
  for (int run = 1; run <= 4; ++run) {
    CHECK(fp32_of(gather_facts(engine, FakeClock(), {{"cpu"}, 2})) == 1e11);
    CHECK(engine.trials == run);
  }
}

}  // namespace gpubench::test
