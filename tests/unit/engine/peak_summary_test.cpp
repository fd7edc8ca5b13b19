#include "engine/api/peak.h"
#include "support/catch.h"

namespace gpubench::test {
namespace {

PeakPoint point(PeakKind kind, std::int64_t size, Reading<double> value, const std::string& precision = "") {
  return {kind, precision, size, std::move(value)};
}

DeviceRecord record_of(const std::vector<PeakPoint>& points) {
  DeviceRecord record;
  set_peak(record, points, "2024-02-03T04:05:06Z");
  return record;
}

}  // namespace

TEST_CASE("the best product of each precision stands for it") {
  const DeviceRecord record = record_of(
      {point(PeakKind::kGemm, 256, 1e11, "fp32"), point(PeakKind::kGemm, 512, 3e11, "fp32"),
       point(PeakKind::kGemm, 1024, 2e11, "fp32"), point(PeakKind::kGemm, 0, absent("no TF32"), "tf32"),
       point(PeakKind::kGemm, 256, 5e11, "bf16")});
  CHECK(record.peak_flops_per_second == Reading<NamedValues>(NamedValues{{"fp32", 3e11}, {"bf16", 5e11}}));
}

TEST_CASE("of product and convolution the better one is the peak of a precision") {
  const DeviceRecord record = record_of(
      {point(PeakKind::kGemm, 1024, 1e11, "fp32"), point(PeakKind::kConvolution, 1024, 2e11, "fp32"),
       point(PeakKind::kGemm, 1024, 4e11, "bf16"), point(PeakKind::kConvolution, 1024, 3e11, "bf16")});
  CHECK(record.peak_flops_per_second == Reading<NamedValues>(NamedValues{{"fp32", 2e11}, {"bf16", 4e11}}));
  CHECK(record.peak_from_rows.empty());
}

TEST_CASE("the better of two roofs keeps what rows reached until a measurement finds more") {
  DeviceRecord record = record_of({point(PeakKind::kGemm, 1024, 1e11, "fp32")});
  raise_peak(record, "fp32", 2e11);
  improve_peak(record_of({point(PeakKind::kGemm, 1024, 1.5e11, "fp32")}), record);
  CHECK(peak_in(record, "fp32") == 2e11);
  CHECK(record.peak_from_rows == std::vector<std::string>{"fp32"});
  improve_peak(record_of({point(PeakKind::kGemm, 1024, 3e11, "fp32")}), record);
  CHECK(peak_in(record, "fp32") == 3e11);
  CHECK(record.peak_from_rows.empty());
}

TEST_CASE("the largest arrays stand for memory, however fast the smaller ones were") {
  const DeviceRecord record =
      record_of({point(PeakKind::kCopy, 1 << 20, 9e10), point(PeakKind::kTriad, 1 << 20, 8e10),
                 point(PeakKind::kCopy, 1 << 28, 1e10), point(PeakKind::kTriad, 1 << 28, 2e10)});
  CHECK(record.copy_bytes_per_second == Reading<double>(1e10));
  CHECK(record.triad_bytes_per_second == Reading<double>(2e10));
}

TEST_CASE("a size that could not be measured leaves the others, and a kind without a value has its reason") {
  const DeviceRecord record =
      record_of({point(PeakKind::kCopy, 1 << 20, 9e10), point(PeakKind::kCopy, 1 << 28, absent("too large")),
                 point(PeakKind::kTriad, 1 << 28, absent("too large")), point(PeakKind::kLaunch, 1000, 2e-6),
                 point(PeakKind::kGraphNode, 0, absent("no graphs")),
                 point(PeakKind::kGemm, 256, absent("no products"), "fp32")});
  CHECK(record.copy_bytes_per_second == Reading<double>(9e10));
  CHECK(record.triad_bytes_per_second.reason() == "too large");
  CHECK(record.launch_latency == Reading<Seconds>(Seconds{2e-6}));
  CHECK(record.graph_node_latency.reason() == "no graphs");
  CHECK(record.peak_flops_per_second.reason() == "no products");
  CHECK(record.host_to_device_bytes_per_second.reason() == "not measured");
  CHECK(record.peak_measured_at == Reading<std::string>("2024-02-03T04:05:06Z"));
}

}  // namespace gpubench::test
