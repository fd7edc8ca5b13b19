#include "engine/machine/facts.h"

#include "support/catch.h"

namespace gpubench::test::peak_store_test {
namespace {

Environment machine(std::int64_t threads = 2) {
  Environment environment;
  environment.cpu = "Processor 9000";
  environment.threads = threads;
  environment.libtorch_version = "2.11.0";
  return environment;
}

DeviceRecord peak(double flops, double triad = 1e10, double latency = 1e-6) {
  DeviceRecord device;
  device.name = "cpu";
  device.model = "Processor 9000";
  device.peak_flops_per_second = NamedValues{{"fp32", flops}};
  device.triad_bytes_per_second = triad;
  device.launch_latency = Seconds{latency};
  device.graph_node_latency = missing("no graphs");
  device.peak_measured_at = std::string("2024-02-03T04:05:06Z");
  return device;
}

double fp32(const DeviceRecord& device) { return device.peak_flops_per_second.value().front().second; }

struct Fixture {
  MachineFacts facts;
  PeakStore store{facts};

  std::optional<DeviceRecord> found(std::int64_t threads = 2) const {
    return store.find(peak(0), machine(threads));
  }
  DeviceRecord keep(PeakEffort effort, const DeviceRecord& device) {
    return store.keep(effort, device, machine());
  }
};

}  // namespace

TEST_CASE("a full measurement is stored with all its figures") {
  Fixture fixture;
  CHECK_FALSE(fixture.found());
  fixture.keep(PeakEffort::kFull, peak(1e11, 2e10, 3e-6));
  REQUIRE(fixture.found());
  CHECK(fp32(*fixture.found()) == 1e11);
  CHECK(fixture.found()->triad_bytes_per_second == Measured<double>(2e10));
  CHECK(fixture.found()->launch_latency == Measured<Seconds>(Seconds{3e-6}));
  CHECK(fixture.found()->graph_node_latency.reason() == "no graphs");
  CHECK(fixture.found()->peak_measured_at == Measured<std::string>("2024-02-03T04:05:06Z"));
}

TEST_CASE("a full measurement replaces any stored peak, and a trial never replaces a full measurement") {
  Fixture fixture;
  fixture.keep(PeakEffort::kTrial, peak(9e11));
  fixture.keep(PeakEffort::kFull, peak(1e11));
  CHECK(fp32(*fixture.found()) == 1e11);
  CHECK(fp32(fixture.keep(PeakEffort::kTrial, peak(5e11))) == 1e11);
  CHECK(fp32(*fixture.found()) == 1e11);
  fixture.keep(PeakEffort::kFull, peak(0.5e11));
  CHECK(fp32(*fixture.found()) == 0.5e11);
}

TEST_CASE("three trials are needed, and the best of each figure is kept") {
  Fixture fixture;
  fixture.keep(PeakEffort::kTrial, peak(1e11, 3e10, 2e-6));
  CHECK_FALSE(fixture.found());
  const DeviceRecord second = fixture.keep(PeakEffort::kTrial, peak(2e11, 1e10, 3e-6));
  CHECK(fp32(second) == 2e11);
  CHECK(second.triad_bytes_per_second == Measured<double>(3e10));
  CHECK(second.launch_latency == Measured<Seconds>(Seconds{2e-6}));
  CHECK_FALSE(fixture.found());
  fixture.keep(PeakEffort::kTrial, peak(1.5e11));
  REQUIRE(fixture.found());
  CHECK(fp32(*fixture.found()) == 2e11);
}

TEST_CASE("the rate of a row raises the stored peak, and a large excess requires another trial") {
  Fixture fixture;
  for (int trial = 0; trial < 3; ++trial) fixture.keep(PeakEffort::kTrial, peak(1e11));
  DeviceRecord raised = *fixture.found();
  raise_peak(raised, "fp32", 1.05e11);
  raised.name = peak(0).name;
  raised.model = peak(0).model;
  fixture.store.raise_peak(raised, machine());
  REQUIRE(fixture.found());
  CHECK(fp32(*fixture.found()) == 1.05e11);
  CHECK(fixture.found()->peak_from_rows == std::vector<std::string>{"fp32"});

  raise_peak(raised, "fp32", 3e11);
  fixture.store.raise_peak(raised, machine());
  CHECK_FALSE(fixture.found());
  CHECK(fp32(fixture.keep(PeakEffort::kTrial, peak(2e11))) == 3e11);
  REQUIRE(fixture.found());
  CHECK(fp32(*fixture.found()) == 3e11);
}

TEST_CASE("peaks are stored by thread count, device and LibTorch version") {
  Fixture fixture;
  fixture.keep(PeakEffort::kFull, peak(1e11));
  CHECK_FALSE(fixture.found(/*threads=*/1));
  DeviceRecord other = peak(0);
  other.model = "Processor 9001";
  CHECK_FALSE(fixture.store.find(other, machine()));
  Environment newer = machine();
  newer.libtorch_version = "2.12.0";
  CHECK_FALSE(fixture.store.find(peak(0), newer));
}

TEST_CASE("an invalid stored peak is ignored and replaced") {
  const std::string text = GENERATE("", "{", "[]", R"({"full": 1})");
  Fixture fixture;
  fixture.keep(PeakEffort::kFull, peak(1e11));
  fixture.facts.facts.begin()->second = text;
  CHECK_FALSE(fixture.found());
  fixture.store.raise_peak(peak(2e11), machine());
  CHECK(fp32(fixture.keep(PeakEffort::kFull, peak(3e11))) == 3e11);
  CHECK(fp32(*fixture.found()) == 3e11);
}

}  // namespace gpubench::test::peak_store_test
