#include "app/run/ops_table.h"

#include "support/catch.h"

using namespace gpubench;

namespace {

/// A millisecond a call: 2 TFLOP/s of 10, 100 GB/s of 1,000.
OpRecord row(const std::string& op = "matmul", OpType type = OpType::kFp32) {
  OpRecord record;
  record.op = op;
  record.sizes = "4x4 4x4";
  record.type = type;
  record.device = "cpu";
  record.status = RowStatus::kOk;
  record.call_seconds = std::vector<double>(9, 1e-3);
  record.flop = 2e9;
  record.traffic = Bytes{100'000'000};
  record.peak_flops_per_second = 1e13;
  record.peak_bytes_per_second = 1e12;
  record.operation_latency = Seconds{1e-6};
  return record;
}

OpRecord failed(RowStatus status, const std::string& message, const std::string& op = "matmul",
                OpType type = OpType::kFp32) {
  OpRecord record = row(op, type);
  record.status = status;
  record.status_reason = message;
  record.call_seconds.clear();
  return record;
}

}  // namespace

TEST_CASE("a row of operations tells its time, its rates and how near they are to the roof") {
  CHECK(ops_table({row()}) ==
        "operation  sizes    type  status   median      ±        FLOP/s  of peak    memory  of bandwidth  "
        "bound by\n"
        "matmul     4x4 4x4  fp32  ok      1.00 ms  0.0 %  2.00 TFLOP/s   20.0 %  100 GB/s        10.0 %  "
        "compute\n");
}

TEST_CASE("a row of operations without times has dashes") {
  CHECK(ops_table({failed(RowStatus::kUnsupported, "no such kernel")}) ==
        "operation  sizes    type  status       median  ±  FLOP/s  of peak  memory  of bandwidth  bound by\n"
        "matmul     4x4 4x4  fp32  unsupported       -  -       -        -       -             -  -\n");
}

TEST_CASE("direction, cache and device have a column only where they tell something") {
  OpRecord other = row();
  other.direction = OpDirection::kForwardBackward;
  other.cache = OpCache::kCold;
  other.device = "mps";
  CHECK_THAT(ops_table({row(), other}),
             gpubench::test::contains_text("type  direction         cache  device"));
  other = row();
  other.device = "mps";
  CHECK_THAT(ops_table({other}), !gpubench::test::contains_text("mps"));
}

TEST_CASE("a matrix has a word for each operation and type") {
  OpRecord slow = row("sum", OpType::kFp16);
  slow.call_seconds = std::vector<double>(9, 1.0);
  CHECK(ops_matrix({row(), failed(RowStatus::kUnsupported, "", "matmul", OpType::kFp16),
                    failed(RowStatus::kFellBack, "", "sum"), slow, failed(RowStatus::kWrong, "", "sort")}) ==
        "cpu\n"
        "op      fp32       fp16\n"
        "matmul  ok         unsupported\n"
        "sum     fell back  slow\n"
        "sort    wrong      -\n"
        "slow: below 1 % of what its bound allows\n");
}

TEST_CASE("each device has a matrix of its own") {
  OpRecord other = failed(RowStatus::kError, "");
  other.device = "mps";
  CHECK(ops_matrix({row(), other}) ==
        "cpu\nop      fp32\nmatmul  ok\n"
        "\nmps\nop      fp32\nmatmul  error\n");
}

TEST_CASE("what several rows of an operation have in common is told once") {
  OpRecord doubtful = row("sum");
  doubtful.warnings = {{"clocks", 1.5, "the clocks disagree"}};
  CHECK(ops_problems({row(), failed(RowStatus::kUnsupported, "no kernel", "matmul", OpType::kFp16),
                      failed(RowStatus::kUnsupported, "no kernel", "matmul", OpType::kFp16), doubtful,
                      failed(RowStatus::kOutOfMemory, "", "sort")}) ==
        "matmul 4x4 4x4, fp16 on cpu (and 1 more): unsupported: no kernel\n"
        "sum 4x4 4x4, fp32 on cpu: the clocks disagree\n"
        "sort 4x4 4x4, fp32 on cpu: oom\n");
  CHECK(ops_problems({row()}).empty());
}
