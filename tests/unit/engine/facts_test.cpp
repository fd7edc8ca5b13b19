#include "engine/machine/facts.h"

#include "gpubench/core/collect.h"
#include "support/catch.h"
#include "support/fake_clock.h"

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

/// An engine with two GPUs and the CPU.
struct FakeEngine : Engine {
  FakeEngine() {
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
    measure_peak = [](Device& device, const Clock&, PeakEffort effort, const ReportPoint&) {
      CHECK(effort == PeakEffort::kTrial);
      PeakMeasurement measured{device.record(), {{PeakKind::kGemm, "fp32", 1024, 1e11}}};
      set_peak(measured.device, measured.points, "2024-02-03T04:05:06Z");
      return measured;
    };
  }
  FakeEngine(const FakeEngine&) = delete;
  FakeEngine& operator=(const FakeEngine&) = delete;

  int threads = 0;
};

}  // namespace

TEST_CASE("the facts list all GPUs for a run on a GPU, and none for a run on the CPU") {
  const FakeEngine engine;
  const EngineFacts facts = gather_facts(engine, FakeClock(), {{"cuda"}});
  CHECK(names_in(facts.environment.devices) == std::vector<std::string>{"cuda:0"});
  CHECK(names_in(facts.gpus) == std::vector<std::string>{"cuda:0", "cuda:1"});
  const Environment metered = metered_environment(facts.environment, facts.gpus);
  CHECK(names_in(metered.devices) == std::vector<std::string>{"cuda:0", "cuda:1"});
  CHECK(metered.cpu == "Processor 9000");
  CHECK(gather_facts(engine, FakeClock(), {{"cpu"}}).gpus.empty());
}

TEST_CASE("peak trials are returned for the store until there are three") {
  const FakeEngine engine;
  FactsRequest request{{"cpu"}};
  for (int trial = 0; trial < 3; ++trial) {
    const EngineFacts facts = gather_facts(engine, FakeClock(), request);
    REQUIRE(facts.new_peaks.size() == 1);
    CHECK(facts.new_peaks != request.stored_peaks);
    request.stored_peaks = facts.new_peaks;
  }
  const EngineFacts facts = gather_facts(engine, FakeClock(), request);
  CHECK(facts.new_peaks.empty());
  CHECK(peak_in(facts.environment.devices.front(), "fp32") == 1e11);
}

}  // namespace gpubench::test::facts_test
