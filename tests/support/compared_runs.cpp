#include "support/compared_runs.h"

namespace gpubench::test {

CaseRecord timed_case(const std::string& model, std::int64_t batch_size, double epoch, double startup) {
  CaseRecord record;
  record.model = model;
  record.dataset = "fashion-mnist";
  record.batch_size = batch_size;
  record.epochs = 5;
  record.min_epochs = 5;
  record.warmup_epochs = 1;
  record.item = "image";
  record.optimizer = "adam (fused)";
  record.execution_used = std::string("eager");
  record.layout_used = std::string("nchw");
  record.train_samples = 50000;
  record.status = RowStatus::kOk;
  record.setup = Seconds{0};
  record.epoch_seconds = {epoch + startup, 0.99 * epoch, epoch, epoch, 1.01 * epoch};
  record.test = NamedValues{{"loss", 0.5}, {"accuracy", 0.875}};
  return record;
}

CaseRecord oom_case(const std::string& model, std::int64_t batch_size) {
  CaseRecord record = timed_case(model, batch_size, 1, 0);
  record.status = RowStatus::kOutOfMemory;
  record.status_reason = "6.0 GiB were requested, 2.0 GiB were free";
  record.epoch_seconds.clear();
  record.test = missing("the case ended as oom");
  return record;
}

RunRecord run_on(const std::string& host, const std::string& device, std::vector<CaseRecord> cases) {
  RunRecord run;
  run.tool.version = "0.1.0";
  run.tool.started_at = "2024-02-03T04:05:06Z";
  run.environment.host = host;
  run.environment.cpu = "Processor 9000";
  run.environment.threads = 4;
  run.environment.libtorch_version = "2.11.0";
  run.environment.allocator = "tuned";
  DeviceRecord record;
  record.name = device;
  record.model = device == "cpu" ? "Processor 9000" : "GPU 6000";
  record.peak_flops_per_second = NamedValues{{"fp32", device == "cpu" ? 1e11 : 1e13}};
  record.triad_bytes_per_second = device == "cpu" ? 2e10 : 4e11;
  run.environment.devices = {record};
  for (CaseRecord& c : cases) {
    c.device = device;
    c.process_start = Seconds{device == "cpu" ? 0.5 : 3.25};
  }
  run.cases = std::move(cases);
  return run;
}

RunRecord repeated(const RunRecord& run) {
  RunRecord often = run;
  often.cases.clear();
  for (std::int64_t repeat = 1; repeat <= 5; ++repeat) {
    for (CaseRecord record : run.cases) {
      record.repeat = repeat;
      for (double& seconds : record.epoch_seconds) seconds *= 1 + 0.001 * static_cast<double>(repeat - 3);
      often.cases.push_back(std::move(record));
    }
  }
  return often;
}

RunRecord laptop_run() {
  return run_on("laptop", "cpu",
                {timed_case("mlp", 32, 4, 0.1), timed_case("mlp", 128, 2, 0.1),
                 timed_case("cnn", 128, 20, 0.2), oom_case("cnn", 1024)});
}

RunRecord desk_run() {
  return run_on("desk", "cuda:0",
                {timed_case("mlp", 32, 0.4, 3), timed_case("mlp", 128, 0.2, 3), timed_case("cnn", 128, 2, 5),
                 timed_case("cnn", 1024, 1, 5), timed_case("lstm", 128, 3, 4)});
}

}  // namespace gpubench::test
