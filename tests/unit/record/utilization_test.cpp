#include "gpubench/record/derived.h"

#include <functional>
#include <string>

#include "support/catch.h"
#include "support/figure.h"
#include "support/sample_runs.h"

namespace gpubench::test::utilization_test {
namespace {

/// Returns a case with 10 steps of 100 samples in 2 s, hence 500 samples/s, after a warm-up epoch of 9 s. The
/// shares are 0.5 for compute, 0.2 for memory and 0.1 for launches.
CaseRecord measured_case() {
  CaseRecord record = finished_case();
  record.batch_size = 100;
  record.train_samples = 1000;
  record.steps_per_epoch = 10;
  record.epoch_seconds = {9, 2, 2, 2};
  record.warmup_epochs = 1;
  record.train_flop_per_sample = 1e6;
  record.operations_per_step = 200.0;
  record.traffic_per_step = Bytes{40'000};
  record.peak_flops_per_second = 1e9;
  record.peak_bytes_per_second = 1e6;
  record.operation_latency = Seconds{1e-4};
  return record;
}

CaseRecord host_loaded_case(std::vector<double> waits) {
  CaseRecord record = measured_case();
  record.mode.loader = Loader::kHost;
  record.input_wait_seconds = std::move(waits);
  return record;
}

std::string find_reason(const std::string& key, const std::function<void(CaseRecord&)>& remove) {
  CaseRecord record = measured_case();
  remove(record);
  return figure(record, key).reason();
}

}  // namespace

TEST_CASE("FLOP/s is FLOP per sample times throughput, and MFU its fraction of the peak") {
  const CaseRecord record = measured_case();
  CHECK(flops_per_second(record).value() == approx(5e8));
  CHECK(figure(record, "mfu").value() == approx(0.5));
}

TEST_CASE("memory and launch shares are minimum times over the median epoch") {
  CHECK(figure(measured_case(), "memory_share").value() == approx(10 * 40'000 / 1e6 / 2));
  CHECK(figure(measured_case(), "launch_share").value() == approx(10 * 200 * 1e-4 / 2));
}

TEST_CASE("cached traffic gives neither a memory share nor a bound") {
  CaseRecord record = measured_case();
  record.traffic_per_step = Bytes{400'000};
  CHECK(figure(record, "memory_share").reason() ==
        "2 times the memory bandwidth: caches hold a part of the data");
  CHECK(bottleneck(record).value() == "compute");

  record.peak_flops_per_second = 2e9;
  CHECK(bottleneck(record).value() == "none");
  CHECK(likely_cause(record).value() == "caches");
}

TEST_CASE("a share above 1 is missing") {
  CaseRecord record = measured_case();
  record.peak_flops_per_second = 2e8;
  CHECK_THAT(figure(record, "mfu").reason(), contains_text("2.5 times the peak"));
  CHECK_THAT(figure(record, "mfu").reason(), contains_text("gpubench peak"));
  CHECK(bottleneck(record).value() == "compute");

  record = measured_case();
  record.operations_per_step = 4000.0;
  CHECK_THAT(figure(record, "launch_share").reason(), contains_text("2 times the epoch"));
  CHECK(bottleneck(record).value() == "launch");
}

TEST_CASE("a share is missing with the reason of its missing input") {
  const auto no_count = [](CaseRecord& c) { c.train_flop_per_sample = missing("not counted"); };
  const auto no_peak = [](CaseRecord& c) { c.peak_flops_per_second = missing("no such peak"); };
  const auto no_epoch = [](CaseRecord& c) { c.epoch_seconds = {9}; };
  CHECK(find_reason("flops_per_second", no_count) == "not counted");
  CHECK(find_reason("mfu", no_count) == "not counted");
  CHECK(find_reason("mfu", no_peak) == "no such peak");
  CHECK(find_reason("mfu", no_epoch) == "no epoch after the warm-up");
  CHECK(find_reason("mfu", [](CaseRecord& c) { c.peak_flops_per_second = 0.0; }) != "");

  CHECK(find_reason("memory_share", no_epoch) == "no epoch after the warm-up");
  CHECK(find_reason("memory_share", [](CaseRecord& c) { c.traffic_per_step = missing("no bytes"); }) ==
        "no bytes");
  CHECK(find_reason("memory_share", [](CaseRecord& c) { c.peak_bytes_per_second = missing("no triad"); }) ==
        "no triad");

  CHECK(find_reason("launch_share", no_epoch) == "no epoch after the warm-up");
  CHECK(find_reason("launch_share", [](CaseRecord& c) { c.operations_per_step = missing("no count"); }) ==
        "no count");
  CHECK(find_reason("launch_share", [](CaseRecord& c) { c.operation_latency = missing("no latency"); }) ==
        "no latency");
}

TEST_CASE("the input share is the median wait after the warm-up over the median epoch") {
  CHECK(figure(host_loaded_case({9, 0.5, 0.7, 0.5}), "input_share").value() == approx(0.25));
  CHECK(figure(host_loaded_case({9}), "input_share").reason() == "no wait was measured after the warm-up");
  CHECK_THAT(figure(measured_case(), "input_share").reason(), contains_text("on the device"));
}

TEST_CASE("the bottleneck of a case is its largest share of at least half") {
  CaseRecord record = measured_case();
  CHECK(bottleneck(record).value() == "compute");
  record.traffic_per_step = Bytes{160'000};
  CHECK(bottleneck(record).value() == "memory");
  record.operations_per_step = 1900.0;
  CHECK(bottleneck(record).value() == "launch");
}

TEST_CASE("a case that waits for input over half of the time is limited by input") {
  CHECK(bottleneck(host_loaded_case({9, 1.1, 1.1, 1.1})).value() == "input");
  CHECK(bottleneck(host_loaded_case({9, 0.9, 0.9, 0.9})).value() == "compute");

  CaseRecord unmeasured = host_loaded_case({9, 1.9, 1.9, 1.9});
  unmeasured.peak_flops_per_second = missing("no such peak");
  CHECK(bottleneck(unmeasured).value() == "input");
}

TEST_CASE("without a share of at least half a likely cause replaces the bottleneck") {
  CaseRecord record = measured_case();
  record.device = "cpu";
  record.peak_flops_per_second = 5e8 / 0.06;  // 6 % of the peak.
  CHECK(bottleneck(record).value() == "none");
  CHECK(figure(record, "unexplained_share").value() == approx(1 - 0.2));
  CHECK(likely_cause(record).value() == "launch");
  record.operations_per_step = 20.0;
  CHECK(likely_cause(record).value() == "kernels");

  record.warnings = {{WarningKind::kOtherProcesses, 0.3, ""}, {WarningKind::kHypervisor, 0.2, ""}};
  CHECK(likely_cause(record).value() == "other-processes");
  record.warnings = {{WarningKind::kHypervisor, 0.2, ""}, {WarningKind::kCoreWait, 0.4, ""}};
  CHECK(likely_cause(record).value() == "too-many-threads");
  record.warnings = {{WarningKind::kCpuQuota, 3.0, ""}, {WarningKind::kCoreWait, 0.1, ""}};
  CHECK(likely_cause(record).value() == "cpu-quota");

  // A GPU keeps computing while other processes use the host.
  record.warnings = {{WarningKind::kOtherProcesses, 0.3, ""}};
  record.device = "cuda:0";
  CHECK(likely_cause(record).value() == "kernels");

  CHECK(likely_cause(measured_case()).reason() == "`bottleneck` explains most of the time");
}

TEST_CASE("a case that waits for exchanges over half of the time is limited by exchange") {
  CaseRecord record = measured_case();
  record.ranks = 2;
  record.communication_seconds = {9, 1.2, 1.2, 1.2};
  CHECK(bottleneck(record).value() == "exchange");
}

}  // namespace gpubench::test::utilization_test
