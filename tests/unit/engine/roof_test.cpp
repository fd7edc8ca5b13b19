#include "engine/judge/roof.h"

#include "support/catch.h"
#include "support/sample_runs.h"

namespace gpubench::test {
namespace {

Environment environment() {
  DeviceRecord device;
  device.name = "cuda:0";
  device.peak_flops_per_second = NamedValues{{"fp32", 1.0}, {"tf32", 2.0}, {"bf16", 3.0}, {"fp16", 4.0}};
  device.triad_bytes_per_second = 5.0;
  device.copy_bytes_per_second = 6.0;
  device.launch_latency = Seconds{7};
  device.graph_node_latency = Seconds{8};
  DeviceRecord other;
  other.name = "cpu";
  other.peak_flops_per_second = NamedValues{{"fp32", 9.0}};
  Environment both;
  both.devices = {other, device};
  return both;
}

CaseRecord with_roof(Precision precision, const std::string& execution = "eager",
                     const std::string& device = "cuda:0") {
  CaseRecord record = finished_case();
  record.device = device;
  record.mode.precision = precision;
  record.execution_used = execution;
  note_roof(record, environment());
  return record;
}

}  // namespace

TEST_CASE("the peak of a case is that of its device in the type that it multiplies in") {
  CHECK(with_roof(Precision::kFp32).peak_flops_per_second.value() == 1);
  CHECK(with_roof(Precision::kTf32).peak_flops_per_second.value() == 2);
  CHECK(with_roof(Precision::kBf16).peak_flops_per_second.value() == 3);
  CHECK(with_roof(Precision::kFp16).peak_flops_per_second.value() == 4);
  CHECK(with_roof(Precision::kAmpBf16).peak_flops_per_second.value() == 3);
  CHECK(with_roof(Precision::kAmpFp16).peak_flops_per_second.value() == 4);
  CHECK(with_roof(Precision::kFp32, "eager", "cpu").peak_flops_per_second.value() == 9);
}

TEST_CASE("memory is as fast as in the triad, and an operation as its way of launching allows") {
  CHECK(with_roof(Precision::kFp32).peak_bytes_per_second.value() == 5);
  CHECK(with_roof(Precision::kFp32).operation_latency.value() == Seconds{7});
  CHECK(with_roof(Precision::kFp32, "graph").operation_latency.value() == Seconds{8});
}

TEST_CASE("what was not measured of a device is absent with the reason") {
  const CaseRecord record = with_roof(Precision::kAmpBf16, "eager", "cpu");
  CHECK(record.peak_flops_per_second.reason() == "no peak of bf16 was measured on cpu; run 'gpubench peak'");
  CHECK(record.peak_bytes_per_second.reason() == "not measured");

  const CaseRecord unknown = with_roof(Precision::kFp32, "eager", "mps");
  CHECK(unknown.peak_flops_per_second.reason() == "nothing is known of mps");
  CHECK(unknown.peak_bytes_per_second.reason() == "nothing is known of mps");
  CHECK(unknown.operation_latency.reason() == "nothing is known of mps");
}

}  // namespace gpubench::test
