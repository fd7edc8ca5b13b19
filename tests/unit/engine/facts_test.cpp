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
struct FakeEngine : Engine {
  FakeEngine() {
    models = [this]() -> const Catalog<ModelEntry>& { return no_models; };
    configure = [this](int wanted) { return threads = wanted; };
    resolve_device = [](const std::string&) { return "cpu"; };
    open_device = [](const std::string&) { return std::make_unique<FakeDevice>(); };
    read_environment = [this] {
      Environment environment;
      environment.cpu = "Processor 9000";
      environment.threads = threads;
      return environment;
    };
    measure_peak = [this](Device& device, const Clock&, PeakEffort effort, const TellPoint&) {
      CHECK(effort == PeakEffort::kTrial);
      ++trials;
      PeakMeasurement measured{device.record(), {{PeakKind::kGemm, "fp32", 1024, flops}}};
      set_peak(measured.device, measured.points, "2024-02-03T04:05:06Z");
      return measured;
    };
  }
  FakeEngine(const FakeEngine&) = delete;
  FakeEngine& operator=(const FakeEngine&) = delete;

  double flops = 1e11;
  int trials = 0;
  int threads = 0;
  Catalog<ModelEntry> no_models{"model", {}};
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

TEST_CASE("a roof is renewed whatever is stored, and kept") {
  const TempDir cache;
  const ScopedVariable variable("XDG_CACHE_HOME", cache.path().string());
  FakeEngine engine;
  const auto gather = [&](bool renews) { return gather_facts(engine, FakeClock(), {{"cpu"}, 2, renews}); };
  for (int run = 0; run < 3; ++run) gather(false);
  engine.flops = 4e11;
  CHECK(fp32_of(gather(false)) == 1e11);
  CHECK(fp32_of(gather(true)) == 4e11);
  CHECK(fp32_of(gather(false)) == 4e11);
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
