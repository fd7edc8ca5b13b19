#include "engine/validation/plausibility.h"

#include <algorithm>

#include "gpubench/record/derived.h"
#include "record/document/record_json.h"

#include "support/catch.h"
#include "support/figure.h"
#include "support/sample_runs.h"

namespace gpubench::test::device_peaks_test {
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

CaseRecord with_peak(Precision precision, const std::string& execution = "eager",
                     const std::string& device = "cuda:0") {
  CaseRecord record = finished_case();
  record.device = device;
  record.mode.precision = precision;
  record.execution_used = execution;
  note_peak(record, environment());
  return record;
}

}  // namespace

TEST_CASE("the peak of a case is that of its device in the precision of its matrix products") {
  CHECK(with_peak(Precision::kFp32).peak_flops_per_second.value() == 1);
  CHECK(with_peak(Precision::kTf32).peak_flops_per_second.value() == 2);
  CHECK(with_peak(Precision::kBf16).peak_flops_per_second.value() == 3);
  CHECK(with_peak(Precision::kFp16).peak_flops_per_second.value() == 4);
  CHECK(with_peak(Precision::kAmpBf16).peak_flops_per_second.value() == 3);
  CHECK(with_peak(Precision::kAmpFp16).peak_flops_per_second.value() == 4);
  CHECK(with_peak(Precision::kFp32, "eager", "cpu").peak_flops_per_second.value() == 9);
}

TEST_CASE("an unmeasured peak is missing with the reason") {
  const CaseRecord record = with_peak(Precision::kAmpBf16, "eager", "cpu");
  CHECK(record.peak_flops_per_second.reason() == "no bf16 peak was measured on cpu; run 'gpubench peak'");
  CHECK(record.peak_bytes_per_second.reason() == "not measured");

  const CaseRecord unknown = with_peak(Precision::kFp32, "eager", "mps");
  CHECK(unknown.peak_flops_per_second.reason() == "unknown device mps");
  CHECK(unknown.peak_bytes_per_second.reason() == "unknown device mps");
  CHECK(unknown.operation_latency.reason() == "unknown device mps");
}

namespace {

/// Returns a case that trains at `rate` on the GPU of environment().
CaseRecord row_at(double rate, Precision precision = Precision::kFp32) {
  CaseRecord record = with_peak(precision);
  record.warmup_epochs = 0;
  record.epoch_seconds = {1, 1, 1};
  record.train_samples = 1000;
  record.train_flop_per_sample = rate / 1000;
  return record;
}

RunRecord make_run(const std::vector<CaseRecord>& rows) {
  RunRecord run = empty_run();
  run.environment = environment();
  run.cases = rows;
  return run;
}

OpRecord op_at(double rate, OpType type) {
  OpRecord record;
  record.op = "matmul";
  record.device = "cuda:0";
  record.type = type;
  record.status = RowStatus::kOk;
  record.call_seconds = {1, 1, 1};
  record.flop = rate;
  note_peak(record, environment());
  return record;
}

double gpu_peak(const Environment& environment, const std::string& precision) {
  const NamedValues& peaks = environment.devices.at(1).peak_flops_per_second.value();
  return std::ranges::find(peaks, precision, &NamedValues::value_type::first)->second;
}

}  // namespace

TEST_CASE("a row above its peak raises it for all rows of its device and precision") {
  RunRecord run = make_run({row_at(0.5), row_at(1.6), row_at(1.2), row_at(1.5, Precision::kBf16)});
  CHECK(run.cases[0].peak_source == Measured<std::string>("measured"));
  clamp_to_peaks(run);
  CHECK(gpu_peak(run.environment, "fp32") == approx(1.6));
  CHECK(gpu_peak(run.environment, "bf16") == 3);
  CHECK(run.environment.devices[1].peak_from_rows == std::vector<std::string>{"fp32"});
  CHECK(run.environment.devices[0].peak_flops_per_second.value().front().second == 9);

  CHECK(figure(run.cases[0], "mfu").value() == approx(0.5 / 1.6));
  CHECK(figure(run.cases[1], "mfu").value() == 1);
  CHECK(figure(run.cases[2], "mfu").value() == approx(1.2 / 1.6));
  CHECK(figure(run.cases[3], "mfu").value() == approx(0.5));
  CHECK(run.cases[0].peak_source == Measured<std::string>("row"));
  CHECK(run.cases[3].peak_source == Measured<std::string>("measured"));
}

TEST_CASE("an invalid row does not raise a peak") {
  std::vector<CaseRecord> rows{row_at(2), row_at(0.5)};
  rows[0].status = RowStatus::kInvalid;
  RunRecord run = make_run(rows);
  clamp_to_peaks(run);
  CHECK(gpu_peak(run.environment, "fp32") == 1);
  CHECK(run.environment.devices[1].peak_from_rows.empty());
  CHECK(run.cases[1].peak_source == Measured<std::string>("measured"));
}

TEST_CASE("rows without a peak and published runs are not changed") {
  CaseRecord pending = finished_case();
  pending.device = "cuda:0";
  pending.peak_flops_per_second = missing("not measured");
  RunRecord run = make_run({row_at(1.6), pending});
  clamp_to_peaks(run);
  CHECK_FALSE(run.cases[1].peak_flops_per_second.has_value());

  RunRecord published = make_run({row_at(1.6)});
  published.published.emplace();
  clamp_to_peaks(published);
  CHECK(gpu_peak(published.environment, "fp32") == 1);
}

TEST_CASE("operations raise peaks too, unless they use integers or have doubtful times") {
  RunRecord table;
  table.environment = environment();
  table.operations = {op_at(1.5, OpType::kFp32), op_at(2.5, OpType::kFp64), op_at(8, OpType::kInt32),
                      op_at(9, OpType::kFp16)};
  table.operations[3].warnings.push_back(make_warning(WarningKind::kClocks, 2.0, "2.00"));
  clamp_to_peaks(table);
  CHECK(gpu_peak(table.environment, "fp32") == approx(1.5));
  CHECK(gpu_peak(table.environment, "fp64") == approx(2.5));
  CHECK(gpu_peak(table.environment, "fp16") == 4);
  CHECK(flops_share(table.operations[0]).value() == 1);
  CHECK(flops_share(table.operations[1]).value() == 1);
  CHECK_FALSE(flops_share(table.operations[2]).has_value());
  CHECK_FALSE(flops_share(table.operations[3]).has_value());
}

}  // namespace gpubench::test::device_peaks_test
