#include "support/sample_runs.h"

#include <limits>

#include "support/sample_energy.h"

namespace gpubench::test {
namespace {

CaseRecord planned_case(const std::string& model, const std::string& dataset, std::int64_t batch_size) {
  CaseRecord record;
  record.model = model;
  record.dataset = dataset;
  record.device = "cuda:0";
  record.batch_size = batch_size;
  record.epochs = 5;
  record.min_epochs = 5;
  record.warmup_epochs = 1;
  record.seed = 42;
  record.learning_rate = 1e-3;
  record.item = "image";
  record.optimizer = "adam (fused)";
  record.train_samples = 50000;
  record.steps_per_epoch = (50000 + batch_size - 1) / batch_size;
  return record;
}

// Multiplies the epoch times by ten, so that the table has rows of different magnitudes.
CaseRecord slow_case_without_warm_up() {
  CaseRecord record = finished_case();
  record.model = "lstm";
  record.warmup_epochs = 0;
  for (double& seconds : record.epoch_seconds) seconds *= 10;
  return record;
}

CaseRecord fast_case() {
  CaseRecord record = finished_case();
  record.batch_size = 1024;
  record.steps_per_epoch = 49;
  record.epoch_seconds = {0.3, 0.0414, 0.0412, 0.0413, 0.0411};
  return record;
}

// Returns consecutive phases.
std::vector<Phase> make_timeline(const std::vector<std::pair<std::string, double>>& durations) {
  std::vector<Phase> phases;
  Seconds start;
  for (const auto& [name, seconds] : durations) {
    phases.push_back({name, start, Seconds{seconds}});
    start = start + Seconds{seconds};
  }
  return phases;
}

/// Returns a device with all peaks except the transfer from the host.
DeviceRecord measured_device() {
  DeviceRecord device{"cuda:0", "GPU 6000", Bytes{6442450944}, std::string("550.1"), std::string("8.6")};
  device.peak_flops_per_second = NamedValues{{"fp32", 6.5e12}, {"bf16", 2.6e13}};
  device.triad_bytes_per_second = 3.25e11;
  device.copy_bytes_per_second = 3.125e11;
  device.launch_latency = Seconds{3.5e-6};
  device.graph_node_latency = Seconds{1.25e-6};
  device.peak_measured_at = std::string("2024-02-03T04:00:00Z");
  return device;
}

CaseRecord repetition(std::int64_t repeat, double factor) {
  CaseRecord record = finished_case();
  record.repeat = repeat;
  for (double& seconds : record.epoch_seconds) seconds *= factor;
  return record;
}

}  // namespace

CaseRecord finished_case() {
  CaseRecord record = planned_case("mlp", "fashion-mnist", 128);
  record.parameters = std::int64_t{435402};
  record.forward_macs = std::int64_t{434816};
  record.status = RowStatus::kOk;
  record.epoch_seconds = {0.8, 0.5, 0.52, 0.48, 0.51};
  record.setup = Seconds{0.25};
  record.training = {{"loss", {0.5123, 0.375, 0.331, 0.301, 0.281}},
                     {"accuracy", {0.81694, 0.86248, 0.87742, 0.8881, 0.89472}}};
  record.validation = NamedValues{{"loss", 0.3301}, {"accuracy", 0.8812}};
  record.test = NamedValues{{"loss", 0.3512}, {"accuracy", 0.8763}};
  record.epoch_host_bytes = {900'000'000, 950'000'000, 950'000'000, 950'000'000, 950'000'000};
  record.train_flop_per_sample = 1.8e6;
  record.operations_per_step = 60;
  record.traffic_per_step = Bytes{12'000'000};
  record.peak_flops_per_second = 4e11;
  record.peak_source = to_string(PeakSource::kMeasured);
  record.peak_bytes_per_second = 2e10;
  record.operation_latency = Seconds{1e-6};
  return record;
}

CaseRecord failed_case() {
  CaseRecord record = planned_case("resnet50", "cifar10", 1024);
  record.is_synthetic = true;
  record.parameters = std::int64_t{23555082};
  record.forward_macs = std::int64_t{77000000};
  record.status = RowStatus::kOutOfMemory;
  record.status_reason = "the device has 6.0 GiB, 5.9 GiB of them in use";
  record.setup = Seconds{1.5};
  record.validation = missing("the case ended before");
  record.test = missing("the case ended before");
  return record;
}

CaseRecord diverged_case() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CaseRecord record = finished_case();
  record.model = "cnn";
  record.status = RowStatus::kDiverged;
  record.status_reason = "the loss is not finite from epoch 3 on";
  record.training = {{"loss", {2.3, 1e300, nan, -nan, std::numeric_limits<double>::infinity()}}};
  record.test = NamedValues{{"loss", nan}, {"accuracy", 0.1}};
  return record;
}

CaseRecord fit_case() {
  CaseRecord record = finished_case();
  record.dataset = "cifar10";
  record.protocol = "fit";
  record.epochs = 50;
  record.min_epochs = 5;
  record.warmup_epochs = 2;
  record.target_rel_ci95 = 0.02;
  record.min_timed = Seconds{2.5};
  record.validation_samples = 5000;
  record.epoch_seconds = {0.75, 0.5625, 0.5, 0.5, 0.75, 0.50390625, 0.49609375, 0.50390625, 0.5};
  record.warnings = {{KindName("heat"), {}, "the device was slowed down by heat"},
                     {WarningKind::kOtherProcesses, 0.4, "other programs used 1.5 cores"}};
  record.started_at = std::string("2024-02-03T04:05:07.125Z");
  record.clock_start = Seconds{1234.5};
  record.timeline =
      make_timeline({{"build", 0.125}, {"transfer", 0.0625}, {"epoch 1", 0.75}, {"validation 1", 0.03125}});
  record.stopped_by = std::string("target-ci");
  record.validation_seconds = std::vector<double>(9, 0.03125);
  record.training = {{"loss", {0.5, 0.375, 0.25, 0.1875, 0.125, 0.125, 0.125, 0.125, 0.125}}};
  record.validation_history = {{"loss", {0.75, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}}};
  record.process = Seconds{7.5};
  record.process_start = Seconds{0.75};
  record.peak_host = Bytes{1 << 30};
  record.peak_device = Bytes{1 << 28};
  record.execution_used = std::string("eager");
  record.execution_note = "graphs need an NVIDIA GPU";
  record.layout_used = std::string("channels-last");
  record.layout_note = "1.5 ms per step in a trial; 2.25 ms as nchw";
  record.profile_phases = NamedValues{{"input", 0.000125},
                                      {"forward", 0.0005},
                                      {"backward", 0.00125},
                                      {"optimizer", 0.0003},
                                      {"other", 0.000325}};
  record.profile_layers = NamedValues{{"convolution", 0.0005},
                                      {"matrix product", 0.001},
                                      {"dropout", 0.00003125},
                                      {"optimizer", 0.00025},
                                      {"other", 0.000015625}};
  record.energy = two_sources();
  record.trained_steps = 9 * record.steps_per_epoch;
  record.trained_samples = 9 * record.train_samples;
  record.initial_loss = 2.3125;
  record.parameter_checksum = std::string(64, 'c');
  return record;
}

CaseRecord unfinished_case(RowStatus status, const std::string& reason) {
  CaseRecord record = planned_case("cnn", "cifar10", 256);
  record.status = status;
  record.status_reason = reason;
  return record;
}

RunRecord empty_run() {
  RunRecord run;
  run.tool = {missing("not recorded"), "0.1.0",
              std::string("0123abc"),  {"--model", "mlp,cnn"},
              "2024-02-03T04:05:06Z",  std::string("2024-02-03T04:06:00Z")};
  Environment& e = run.environment;
  e.host = "workstation";
  e.os = "Debian GNU/Linux 12";
  e.kernel = "Linux 6.1.0 x86_64";
  e.cpu = "Processor 9000";
  e.physical_cores = std::int64_t{8};
  e.logical_cores = 16;
  e.available_cores = 7.5;
  e.memory = Bytes{68719476736};
  e.threads = 8;
  e.libtorch_version = "2.11.0";
  e.libtorch_build = "CUDA 13.0, cuDNN 9.1";
  e.allocator = "tuned";
  e.devices = {measured_device()};
  e.datasets = {{"fashion-mnist",
                 false,
                 "",
                 {{"train-images-idx3-ubyte.gz", {26421880}, std::string(64, 'a'), "official"}}}};
  return run;
}

RunRecord mixed_run() {
  RunRecord run = empty_run();
  run.environment.datasets.push_back(
      {"cifar10", true, "the real set is not in the data directory and could not be fetched", {}});
  run.cases = {finished_case(), fast_case(), slow_case_without_warm_up(), failed_case(), diverged_case()};
  return run;
}

RunRecord eventful_run() {
  RunRecord run = empty_run();
  run.plan = {"training", "smoke", 7, Seconds{1200}};

  CaseRecord oom = unfinished_case(RowStatus::kOutOfMemory, "the device is full");
  oom.requested = Bytes{std::int64_t{2} << 30};
  oom.available = Bytes{std::int64_t{3} << 29};
  CaseRecord skipped = unfinished_case(RowStatus::kSkipped, "a smaller batch ran out of memory");
  skipped.batch_size = 512;
  skipped.skip_rule = std::string("after-oom");
  CaseRecord crashed = unfinished_case(RowStatus::kCrashed, "its process was ended by signal 11");
  crashed.stderr_tail = {"terminate called", "core dumped"};
  crashed.warnings = {{WarningKind::kOtherProcesses, 0.375, "other programs used 1.5 cores"}};
  CaseRecord invalid = finished_case();
  invalid.model = "vgg";
  invalid.status = RowStatus::kInvalid;
  invalid.status_reason = "it would need 40 times the device's own rate";

  run.cases = {repetition(1, 1),
               repetition(2, 1.03125),
               repetition(3, 0.96875),
               fit_case(),
               oom,
               skipped,
               crashed,
               unfinished_case(RowStatus::kTimeout, "took longer than --timeout 60 s"),
               unfinished_case(RowStatus::kUnsupported, "the device has no such operation"),
               unfinished_case(RowStatus::kInterrupted, "the run was interrupted"),
               invalid};
  return run;
}

RunRecord reticent_run() {
  RunRecord run = empty_run();
  run.tool.git_commit = missing("built outside a git checkout");
  run.tool.finished_at = missing("the run was interrupted");
  run.environment.physical_cores = missing("the system does not tell");
  run.environment.memory = missing("the system does not tell");
  run.environment.devices = {{"cpu", "Processor 9000", missing("unknown"), missing("a CPU has no driver"),
                              missing("unknown"), missing("no trial was made")}};
  CaseRecord bare = planned_case("mlp", "fashion-mnist", 32);
  bare.device = "cpu";
  bare.status = RowStatus::kError;
  bare.status_reason = "the model could not be built";
  run.cases = {bare};
  return run;
}

RunRecord hostile_run() {
  RunRecord run = empty_run();
  run.environment.host = "evil\"; \\rm <script>alert('1')</script> \x1b[31m\x01 \xff\xfe end";
  run.tool.arguments = {"--output", "a\tb\nc.json", "\xc3\x28"};
  run.environment.datasets.front().note = "from \x1b]0;title\x07 a folder";
  CaseRecord failed = failed_case();
  failed.status = RowStatus::kError;
  failed.status_reason = "kernel \x1b[2J failed\nframe #0: a backtrace\nframe #1: of many lines";
  failed.stderr_tail = {"\x1b[31mfatal\xff\x1b[0m"};
  failed.warnings = {{KindName("heat\x1b[5m"), {}, "sensor \x1b[5m\"hot\"\nand more"}};
  run.cases = {failed};
  return run;
}

}  // namespace gpubench::test
