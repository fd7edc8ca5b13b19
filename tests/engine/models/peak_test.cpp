#include "engine/api/peak.h"

#include <algorithm>

#include <ATen/Context.h>

#include "support/catch.h"

namespace gpubench::test::peak_test {
using gpubench::test::contains_text;

namespace {

/// Returns the trial of the CPU, measured once for all tests.
const PeakMeasurement& trial() {
  static const PeakMeasurement measured =
      measure_peak(*open_device("cpu"), SteadyClock(), PeakEffort::kTrial, [](const PeakPoint&) {});
  return measured;
}

template <class T>
bool is_told(const Measured<T>& reading) {
  return reading.has_value() ? reading.value() > T{} : reading.reason() != Measured<T>().reason();
}

/// Device with a stopped clock that records no work.
class ForgetfulDevice : public Device {
 public:
  std::string name() const override { return "cpu"; }
  DeviceRecord record() const override { return {"cpu", "forgetful", {}, {}, {}}; }
  void synchronize() override {}
  Measured<Bytes> free_memory() const override { return Bytes{12 << 20}; }
  std::string why_no_graph() const override { return {}; }
};

}  // namespace

TEST_CASE("a trial on the CPU has every peak value or a reason") {
  const DeviceRecord& device = trial().device;
  REQUIRE(device.peak_flops_per_second.has_value());
  const NamedValues& rates = device.peak_flops_per_second.value();
  REQUIRE_FALSE(rates.empty());
  CHECK(rates.front().first == "fp32");
  for (const auto& [precision, rate] : rates) {
    INFO(precision);
    CHECK(rate > 0);
  }
  CHECK(is_told(device.triad_bytes_per_second));
  CHECK(is_told(device.copy_bytes_per_second));
  CHECK(is_told(device.launch_latency));
  CHECK_FALSE(device.host_to_device_bytes_per_second.has_value());
  CHECK_THAT(device.host_to_device_bytes_per_second.reason(), contains_text("host memory"));
  CHECK_THAT(device.graph_node_latency.reason(), contains_text("graphs"));
  CHECK(device.peak_measured_at.has_value());
  CHECK(device.model == open_device("cpu")->record().model);
}

TEST_CASE("the peak of a trial on the CPU is the better of matrix product and convolution") {
  double best = 0;
  for (const PeakKind kind : {PeakKind::kGemm, PeakKind::kConvolution}) {
    const auto point = std::ranges::find_if(trial().points, [&](const PeakPoint& candidate) {
      return candidate.kind == kind && candidate.precision == "fp32";
    });
    REQUIRE(point != trial().points.end());
    REQUIRE(point->value.has_value());
    CHECK(point->value.value() > 1e6);
    for (const PeakPoint& other : trial().points) {
      if (other.kind == kind && other.precision == "fp32") best = std::max(best, other.value.value());
    }
  }
  CHECK(peak_in(trial().device, "fp32") == best);
}

TEST_CASE("TF32 is measured only if it changes a product, and its switches are restored") {
  at::globalContext().setAllowTF32CuBLAS(false);
  at::globalContext().setAllowTF32CuDNN(false);
  const auto tf32 = std::find_if(trial().points.begin(), trial().points.end(),
                                 [](const PeakPoint& point) { return point.precision == "tf32"; });
  REQUIRE(tf32 != trial().points.end());
  CHECK_THAT(tf32->value.reason(), contains_text("no TF32 products"));
  CHECK_FALSE(at::globalContext().allowTF32CuBLAS());
  CHECK_FALSE(at::globalContext().allowTF32CuDNN());
}

TEST_CASE("points are reported in order, exceptions are missing values, and arrays fit into free memory") {
  std::vector<PeakPoint> told;
  ForgetfulDevice device;
  const PeakMeasurement measured = measure_peak(device, SteadyClock(), PeakEffort::kTrial,
                                                [&](const PeakPoint& point) { told.push_back(point); });
  CHECK(told.size() == measured.points.size());
  CHECK_THAT(measured.device.graph_node_latency.reason(), contains_text("records no work"));
  for (const PeakPoint& point : told) {
    if (point.kind == PeakKind::kTriad) CHECK(point.size == 2 << 20);
  }
}

}  // namespace gpubench::test::peak_test
