#include "engine/machine/facts.h"

#include "gpubench/core/collect.h"
#include "support/catch.h"
#include "support/fake_clock.h"
#include "support/scoped_variable.h"
#include "support/temp_dir.h"

namespace gpubench::test::facts_test {
namespace {

class FakeDevice : public Device {
 public:
  explicit FakeDevice(std::string name) : name_(std::move(name)) {}

  std::string name() const override { return name_; }
  DeviceRecord record() const override {
    return {name_, "Processor 9000", missing("unknown"), missing("none"), std::string("made up")};
  }
  void synchronize() override {}

 private:
  std::string name_;
};

/// An engine with one device, whose peak is what `flops` says.
struct FakeEngine : Engine {
  FakeEngine() {
    models = [this]() -> const Catalog<ModelEntry>& { return no_models; };
    configure = [this](int wanted) { return threads = wanted; };
    resolve_device = [](const std::string& name) { return name == "cuda" ? "cuda:0" : "cpu"; };
    usable_devices = [] { return std::vector<std::string>{"cuda:0", "cuda:1", "cpu"}; };
    open_device = [](const std::string& name) {
      return std::make_unique<FakeDevice>(name == "auto" ? "cpu" : name);
    };
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

double to_fp32(const EngineFacts& facts) {
  REQUIRE(facts.environment.devices.size() == 1);
  return facts.environment.devices[0].peak_flops_per_second.value().front().second;
}

}  // namespace

TEST_CASE("runs make trials of the peak until enough are stored, and each has the best so far") {
  const TempDir cache;
  const ScopedVariable variable("XDG_CACHE_HOME", cache.path().string());
  FakeEngine engine;
  const auto gather = [&](int threads) {
    return gather_facts(engine, FakeClock(), {{"auto", "cpu"}, threads});
  };
  CHECK(to_fp32(gather(2)) == 1e11);
  engine.flops = 3e11;
  CHECK(to_fp32(gather(2)) == 3e11);
  engine.flops = 2e11;
  const EngineFacts third = gather(2);
  CHECK(to_fp32(third) == 3e11);
  CHECK(third.environment.devices[0].architecture == Measured<std::string>("made up"));
  CHECK(engine.trials == 3);

  CHECK(to_fp32(gather(2)) == 3e11);
  CHECK(engine.trials == 3);
  CHECK(to_fp32(gather(1)) == 2e11);
  CHECK(engine.trials == 4);
}

TEST_CASE("a run on a GPU knows all GPUs that meters may find, and one on the CPU asks for none") {
  const ScopedVariable cache("XDG_CACHE_HOME", std::nullopt);
  const ScopedVariable home("HOME", std::nullopt);
  const FakeEngine engine;
  const EngineFacts facts = gather_facts(engine, FakeClock(), {{"cuda"}});
  CHECK(names_in(facts.environment.devices) == std::vector<std::string>{"cuda:0"});
  CHECK(names_in(facts.gpus) == std::vector<std::string>{"cuda:0", "cuda:1"});
  const Environment metered = metered_environment(facts.environment, facts.gpus);
  CHECK(names_in(metered.devices) == std::vector<std::string>{"cuda:0", "cuda:1"});
  CHECK(metered.cpu == "Processor 9000");
  CHECK(gather_facts(engine, FakeClock(), {{"cpu"}}).gpus.empty());
}

}  // namespace gpubench::test::facts_test
