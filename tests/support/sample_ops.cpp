#include "support/sample_ops.h"

#include "support/sample_runs.h"

namespace gpubench::test {
namespace {

/// Returns samples with the median `seconds`, within 1 %.
std::vector<double> samples_about(double seconds) {
  std::vector<double> samples;
  for (int i = 0; i < 21; ++i) samples.push_back(seconds * (1 + 0.001 * ((i * 8) % 21 - 10)));
  return samples;
}

OpRecord to_row(const std::string& op, const std::string& sizes, double flop, std::int64_t traffic,
                double seconds) {
  OpRecord row = finished_row(seconds);
  row.op = op;
  row.sizes = sizes;
  row.flop = flop;
  row.traffic = Bytes{traffic};
  return row;
}

OpRecord failed_row(const std::string& op, const std::string& sizes, RowStatus status,
                    const std::string& message) {
  OpRecord row = finished_row();
  row.op = op;
  row.sizes = sizes;
  row.status = status;
  row.status_reason = message;
  row.call_seconds.clear();
  row.host_call_seconds.clear();
  row.calls_per_sample = 0;
  row.error = missing("the row is " + to_string(status));
  return row;
}

OpRecord typed(OpRecord row, OpType type) {
  row.type = type;
  return row;
}

}  // namespace

OpRecord finished_row(double seconds) {
  OpRecord row;
  row.op = "matmul";
  row.sizes = "1000x64x1024 1000x1024x32";
  row.device = "cuda:0";
  row.status = RowStatus::kOk;
  row.calls_per_sample = 4;
  row.clock = "device";
  row.call_seconds = samples_about(seconds);
  row.host_call_seconds = samples_about(seconds * 1.02);
  row.flop = 4194304000;
  row.traffic = Bytes{401408000};
  row.needed_host = Bytes{1204224000};
  row.needed_device = Bytes{401408000};
  row.error = 2.5e-7;
  row.tolerance = 1e-5;
  row.peak_flops_per_second = 4e12;
  row.peak_source = to_string(PeakSource::kMeasured);
  row.peak_bytes_per_second = 3e11;
  row.operation_latency = Seconds{4e-6};
  return row;
}

RunRecord empty_ops() {
  const RunRecord run = empty_run();
  RunRecord ops;
  ops.tool = run.tool;
  ops.tool.arguments = {"gpubench", "ops", "--device", "cuda:0"};
  ops.environment = run.environment;
  ops.environment.datasets.clear();
  ops.plan.kind = "table";
  ops.plan.suite = "published";
  return ops;
}

RunRecord mixed_ops() {
  RunRecord ops = empty_ops();
  ops.operations = {finished_row(), to_row("sum_all", "1000000x128", 128e6, 512000004, 0.0019),
                    to_row("relu", "128x16x1024", 2097152, 16777216, 4.1e-5),
                    to_row("sort", "64x128x1024 axis=0", 0, 134217728, 0.09)};
  ops.operations[2].graph_call_seconds = samples_about(3.8e-5);
  ops.operations[1].warnings = {
      {WarningKind::kClocks, 1.6,
       "the clock of the device fell from 1.9 GHz to 1.2 GHz while this row was measured"}};
  ops.operations.push_back(failed_row("scatter_max", "64x16 1000000", RowStatus::kIncorrect,
                                      "the error of 0.5 is larger than the 1e-05 that rounding explains"));
  ops.operations.push_back(failed_row("argmax", "64x1024x128 axis=0", RowStatus::kUnsupported,
                                      "has no gradient: its result is whole numbers"));
  ops.operations.push_back(
      failed_row("gather", "64x256 1000000", RowStatus::kCpuFallback, "it ran on the CPU"));
  ops.operations.push_back(failed_row("concat", "1000000x64 1000000x128 axis=1", RowStatus::kSkipped,
                                      "needs 4.0 GiB, 2.5 GiB are free"));
  ops.operations.push_back(
      failed_row("conv2d", "100x256x256x3 8x3x3x3", RowStatus::kOutOfMemory, "CUDA out of memory"));
  ops.operations.push_back(
      failed_row("softmax", "64x1000000 axis=-1", RowStatus::kError, "device-side assert"));
  return ops;
}

RunRecord matrix_ops() {
  RunRecord ops = empty_ops();
  ops.plan.kind = "matrix";
  ops.plan.suite = "small";
  for (const OpType type : all_op_types()) {
    const bool is_whole = type == OpType::kInt32 || type == OpType::kInt64;
    const OpRecord matmul = to_row("matmul", "256x256 256x256", 33554432, 786432, 2.2e-5);
    const OpRecord none = failed_row("matmul", "256x256 256x256", RowStatus::kUnsupported,
                                     "\"addmm_cuda\" not implemented for whole numbers");
    ops.operations.push_back(typed(is_whole ? none : matmul, type));
    ops.operations.push_back(
        typed(to_row("sort", "16x32x256 axis=0", 0, 1048576, type == OpType::kFp16 ? 0.02 : 3.1e-5), type));
  }
  ops.operations.push_back(
      typed(failed_row("sum", "4x8x8 axis=0", RowStatus::kIncorrect, "the error of 0.5 is larger than 0.01"),
            OpType::kBf16));
  ops.operations.push_back(
      typed(failed_row("sum", "4x8x8 axis=0", RowStatus::kCpuFallback, "it ran on the CPU"), OpType::kFp64));
  return ops;
}

RunRecord sweep_ops() {
  RunRecord ops = empty_ops();
  ops.plan.kind = "sweep";
  ops.plan.suite = "";
  for (const OpType type : {OpType::kFp32, OpType::kBf16}) {
    for (std::int64_t n = 64; n <= 1024; n *= 2) {
      const std::string sizes = std::to_string(n) + "x" + std::to_string(n);
      const double flop = 2.0 * static_cast<double>(n * n * n);
      const double rate = type == OpType::kBf16 ? 3e12 : 1e12;
      ops.operations.push_back(
          typed(to_row("matmul", sizes + " " + sizes, flop, 12 * n * n, 5e-6 + flop / rate), type));
    }
  }
  ops.operations.push_back(
      failed_row("matmul", "2048x2048 2048x2048", RowStatus::kOutOfMemory, "out of memory"));
  return ops;
}

RunRecord laptop_ops() {
  RunRecord ops = empty_ops();
  ops.environment.host = "laptop";
  ops.environment.cpu = "Processor 200";
  ops.environment.devices = {
      {"cpu", "Processor 200", Bytes{17179869184}, missing("a CPU has no driver"), std::string("AVX2")}};
  ops.operations = {finished_row(0.071), to_row("sum_all", "1000000x128", 128e6, 512000004, 0.0017),
                    to_row("relu", "128x16x1024", 2097152, 16777216, 9e-4),
                    to_row("sort", "64x128x1024 axis=1", 0, 134217728, 0.3)};
  for (OpRecord& row : ops.operations) {
    row.protocol = OpProtocol::kS4;
    row.device = "cpu";
    row.clock = "host";
    row.calls_per_sample = 1;
    row.call_seconds.resize(1);
    row.host_call_seconds.clear();
    row.needed_device = missing("the device is the host");
    row.peak_flops_per_second = 1.4e11;
    row.peak_source = to_string(PeakSource::kMeasured);
    row.peak_bytes_per_second = 2.3e10;
    row.operation_latency = Seconds{1e-6};
  }
  return ops;
}

}  // namespace gpubench::test
