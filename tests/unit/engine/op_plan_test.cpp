#include "engine/plan/op_plan.h"

#include "engine/validation/plausibility.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "support/catch.h"

namespace gpubench::test::op_plan_test {
namespace {

std::vector<std::string> make_rows(const OpPlanOptions& options) {
  return mapped(plan_ops(options), [](const OpWork& row) {
    const OpPoint& asked = row.asked;
    return asked.op + " " + asked.sizes + " " + to_string(asked.type) + " " + to_string(asked.direction) +
           " " + to_string(asked.cache);
  });
}

std::string sweep_refusal(const std::string& text) {
  try {
    parse_sweep(text);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

Environment machine() {
  DeviceRecord device;
  device.name = "cuda:0";
  device.peak_flops_per_second = NamedValues{{"fp32", 10.0}, {"fp16", 40.0}, {"fp64", 1.0}};
  device.triad_bytes_per_second = 5.0;
  device.launch_latency = Seconds{7};
  Environment environment;
  environment.devices = {device};
  return environment;
}

OpRecord with_peak(OpType type, const Environment& environment, const std::string& device = "cuda:0") {
  OpRecord record;
  record.type = type;
  record.device = device;
  note_peak(record, environment);
  return record;
}

}  // namespace

TEST_CASE("by default every operation runs in fp32 at its published sizes") {
  const std::vector<std::string> rows = make_rows({});
  CHECK(rows.size() == 91);
  CHECK(rows.front() == "argmax 64x1024x128 axis=0 fp32 forward warm");
}

TEST_CASE("rows are ordered by device, then by repeat") {
  OpPlanOptions options;
  options.grid.set("op", "matmul");
  options.grid.set("sizes", "4x4 4x4");
  options.grid.set("device", std::vector<std::string>{"cpu", "mps"});
  options.grid.set("repeat", "2");
  const auto texts = mapped(plan_ops(options), [](const OpWork& row) {
    return describe(row).device + " " + std::to_string(describe(row).repeat);
  });
  CHECK(texts == std::vector<std::string>{"cpu 1", "cpu 2", "mps 1", "mps 2"});
}

TEST_CASE("a matrix has each operation with every type, at its first small size") {
  OpPlanOptions options;
  options.is_matrix = true;
  options.grid.set("op", std::vector<std::string>{"sum", "matmul"});
  const auto rows = make_rows(options);
  REQUIRE(rows.size() == 12);
  CHECK(rows[0] == "sum 16x32x64 axis=0 fp32 forward warm");
  CHECK(rows[5] == "sum 16x32x64 axis=0 int64 forward warm");
  CHECK(rows[6] == "matmul 32x1x1000 32x1000x128 fp32 forward warm");
  options.grid.set("type", std::vector<std::string>{"bf16", "fp64"});
  options.set = "published";
  CHECK(make_rows(options) == std::vector<std::string>{"sum 64x128x128x128 axis=0 bf16 forward warm",
                                                       "sum 64x128x128x128 axis=0 fp64 forward warm",
                                                       "matmul 32x1x1000 32x1000x128 bf16 forward warm",
                                                       "matmul 32x1x1000 32x1000x128 fp64 forward warm"});
}

TEST_CASE("a sweep multiplies or adds, and never exceeds its last size") {
  CHECK(parse_sweep("256:4096:*2") == std::vector<std::int64_t>{256, 512, 1024, 2048, 4096});
  CHECK(parse_sweep("256:1024:+256") == std::vector<std::int64_t>{256, 512, 768, 1024});
  CHECK(parse_sweep("100:1000:*3") == std::vector<std::int64_t>{100, 300, 900});
  CHECK(parse_sweep("7:7:+1") == std::vector<std::int64_t>{7});
}

TEST_CASE("an invalid sweep is refused with the reason and an example") {
  for (const char* text : {"", "256", "256:512", "256:512:2", "256:512:/2", "256:x:*2", "256:512:*",
                           "256:512:*1", "256:512:*2.5", "256:512:+0", "0:512:*2", "-4:512:*2", "512:256:*2",
                           "1:1000000:+1", "256:99999999999999999999:*2", "256:512:*2:3"}) {
    INFO(text);
    CHECK_THAT(sweep_refusal(text), contains_text(std::string("--sweep ") + text));
    CHECK_THAT(sweep_refusal(text), contains_text("256:16384:*2"));
  }
  CHECK_THAT(sweep_refusal("256:512:2"), contains_text("the step must begin with * or +"));
  CHECK_THAT(sweep_refusal("256:x:*2"), contains_text("'x' is not a whole number"));
  CHECK_THAT(sweep_refusal("512:256:*2"), contains_text("the first size is larger than the last"));
  CHECK_THAT(sweep_refusal("1:1000000:+1"), contains_text("more than 1000 sizes"));
}

TEST_CASE("the peak of a row is that of its type, but at least that of fp32") {
  CHECK(with_peak(OpType::kFp32, machine()).peak_flops_per_second.value() == 10);
  CHECK(with_peak(OpType::kFp16, machine()).peak_flops_per_second.value() == 40);
  CHECK(with_peak(OpType::kFp64, machine()).peak_flops_per_second.value() == 10);
  CHECK(with_peak(OpType::kBf16, machine()).peak_flops_per_second.value() == 10);
  CHECK(with_peak(OpType::kInt32, machine()).peak_flops_per_second.value() == 10);
  CHECK(with_peak(OpType::kInt64, machine()).peak_flops_per_second.value() == 10);
  CHECK(with_peak(OpType::kFp32, machine()).peak_bytes_per_second.value() == 5);
  CHECK(with_peak(OpType::kFp32, machine()).operation_latency.value() == Seconds{7});
}

}  // namespace gpubench::test::op_plan_test
