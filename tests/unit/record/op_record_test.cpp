#include "gpubench/record/run_record.h"

#include "gpubench/record/derived.h"
#include "support/catch.h"
#include "support/figure.h"

namespace gpubench::test::op_record_test {
namespace {

/// Returns a product of 2 ms with 1 of 4 TFLOP/s and 50 of 500 GB/s, on a device with launches of 4 us.
OpRecord product() {
  OpRecord record;
  record.op = "matmul";
  record.sizes = "1000x1000 1000x1000";
  record.device = "cuda:0";
  record.status = RowStatus::kOk;
  record.call_seconds = {0.0019, 0.002, 0.002, 0.002, 0.0021};
  record.flop = 2e9;
  record.traffic = Bytes{100'000'000};
  record.peak_flops_per_second = 4e12;
  record.peak_bytes_per_second = 500e9;
  record.operation_latency = Seconds{4e-6};
  return record;
}

/// Returns product() without arithmetic.
OpRecord movement() {
  OpRecord record = product();
  record.flop = 0;
  return record;
}

}  // namespace

TEST_CASE("figures of a row without times are missing because of its status") {
  OpRecord record = product();
  record.call_seconds.clear();
  record.status = RowStatus::kUnsupported;
  CHECK(call_time(record).reason() == "the row is unsupported");
  CHECK(flops_per_second(record).reason() == "the row is unsupported");
  CHECK(bandwidth_share(record).reason() == "the row is unsupported");
  CHECK(bottleneck(record).reason() == "the row is unsupported");
  CHECK_FALSE(is_slow(record));
}

TEST_CASE("cached data gives neither a bandwidth share nor a bound") {
  OpRecord record = movement();
  record.peak_bytes_per_second = 25e9;
  CHECK(bandwidth_share(record).reason() == "2 times the memory bandwidth: caches hold a part of the data");
  CHECK(bottleneck(record).value() == "none");
  record = product();
  record.peak_flops_per_second = 0.5e12;
  CHECK_FALSE(flops_share(record).has_value());
}

TEST_CASE("the bottleneck is the largest share of at least half") {
  OpRecord fast = product();
  fast.peak_flops_per_second = 2e12;
  CHECK(bottleneck(fast).value() == "compute");
  OpRecord copy = movement();
  CHECK(bottleneck(copy).value() == "none");
  CHECK(unexplained_share(copy).value() == approx(0.9));
  copy.peak_bytes_per_second = copy.peak_bytes_per_second.value() / 6;
  CHECK(bottleneck(copy).value() == "memory");
  OpRecord tiny = product();
  tiny.flop = 100;
  tiny.traffic = Bytes{1000};
  tiny.call_seconds = {5e-6, 5e-6, 5e-6};
  CHECK(bottleneck(tiny).value() == "launch");
}

TEST_CASE("only an ok row below 1 % of every bound is slow") {
  OpRecord record = product();
  CHECK_FALSE(is_slow(record));
  for (double& seconds : record.call_seconds) seconds *= 20;
  CHECK_FALSE(is_slow(record));
  for (double& seconds : record.call_seconds) seconds *= 2;
  CHECK(is_slow(record));
  record.status = RowStatus::kIncorrect;
  CHECK_FALSE(is_slow(record));
  record = product();
  record.operation_latency = missing("not measured");
  CHECK_FALSE(is_slow(record));
}

TEST_CASE("the launch cost is the time that a graph saves") {
  OpRecord record = product();
  CHECK_FALSE(figure(op_fields(), record, "launch_cost_seconds").has_value());
  record.graph_call_seconds = {0.0015, 0.0015, 0.0015};
  CHECK(figure(op_fields(), record, "launch_cost_seconds").value() == approx(0.0005));
}

}  // namespace gpubench::test::op_record_test
