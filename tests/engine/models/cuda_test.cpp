// Tests for NVIDIA GPUs; skipped on other machines.

#include <numeric>

#include "support/catch.h"
#include "tiny.h"
#include "workloads/cases/runner.h"

#ifdef GPUBENCH_HAS_CUDA
#include <cmath>

#include <ATen/Context.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randperm.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include "workloads/input/batch_source.h"
#endif

namespace gpubench::test::cuda_test {

#ifdef GPUBENCH_HAS_CUDA

namespace {

/// Device that throws if the host waits for the GPU during its three epochs.
class NoWaitDevice : public Device {
 public:
  std::string name() const override { return cuda_->name(); }
  DeviceRecord record() const override { return cuda_->record(); }
  /// Called at both ends of a window.
  void synchronize() override {
    watch(false);
    cuda_->synchronize();
    is_in_window_ = !is_in_window_;
    if (is_in_window_) watch(++windows_ > set_up_windows_ && windows_ <= set_up_windows_ + 3);
  }

  std::unique_ptr<DeviceMarks> make_marks(const Clock& clock, std::size_t count) override {
    return cuda_->make_marks(clock, count);
  }
  std::string why_no_graph() const override { return cuda_->why_no_graph(); }
  std::unique_ptr<RecordedWork> record_graph(const std::function<void()>& warm_up,
                                             const std::function<void()>& work) override {
    watch(false);  // Recording may wait.
    set_up_windows_ = 4;
    return cuda_->record_graph(warm_up, work);
  }
  std::unique_ptr<RecordedWork> record_beside(const RecordedWork& other,
                                              const std::function<void()>& work) override {
    return cuda_->record_beside(other, work);
  }
  void free_spare_memory() override { cuda_->free_spare_memory(); }

 private:
  static void watch(bool is_watching) {
    c10::cuda::warning_state().set_sync_debug_mode(is_watching ? c10::cuda::SyncDebugMode::L_ERROR
                                                               : c10::cuda::SyncDebugMode::L_DISABLED);
  }

  std::unique_ptr<Device> cuda_ = open_device("cuda");
  bool is_in_window_ = false;
  int windows_ = 0;
  int set_up_windows_ = 3;  // Build, transfer and optimizer, which copy and wait.
};

/// Makes a recording invalid by an error in the middle.
void fail_to_record(Device& device) {
  const at::Tensor ones = at::ones({1000}, c10::Device(device.name()));
  CHECK_THROWS(
      device.record_graph([] {}, [&] { at::randn({1000}, ones.options()).add_(ones).sum().item(); }));
}

/// Work with cuBLAS and random numbers.
struct NoisyProducts {
  explicit NoisyProducts(const c10::Device& device)
      : factors(at::ones({256, 256}, device)), sums(at::zeros_like(factors)) {}
  void operator()() const { sums.add_(factors.mm(at::randn(factors.sizes(), factors.options()))); }
  at::Tensor factors;
  at::Tensor sums;
};

CaseRecord run_on_cuda(const std::string& model, const TrainingMode& mode) {
  const auto device = open_device("cuda");
  return run_network(model, mode, 32, 200, *device);
}

}  // namespace

TEST_CASE("recorded epochs on CUDA have the losses of eager ones") {
  if (!has_cuda()) return;
  const std::string model = GENERATE("mlp", "cnn", "lstm", "dcgan", "siamese", "transformer_lm", "vae");
  const CaseRecord eager = run_on_cuda(model, {.execution = Execution::kEager});
  const CaseRecord graph = run_on_cuda(model, {.execution = Execution::kGraph});
  INFO(model << ": " << graph.status_reason);
  REQUIRE(graph.status == RowStatus::kOk);
  CHECK(graph.execution_used.value() == "graph");
  CHECK(graph.trained_steps == eager.trained_steps);
  const double loss = graph.training.front().second.back();
  // Losses of adversarial networks depend on the noise.
  const ModelEntry& entry = models().require(model, "");
  if (entry.build(all_sizes(entry, {}))->is_adversarial())
    CHECK(std::isfinite(loss));
  else
    CHECK(loss == approx(eager.training.front().second.back()).epsilon(0.3).margin(0.1));
}

TEST_CASE("a failed recording on CUDA does not affect random numbers, recordings and memory") {
  if (!has_cuda()) return;
  const auto device = open_device("cuda");
  const c10::Device place(device->name());
  const auto float_sums = [&] { return at::randn({1000}, place).sum().item<float>(); };
  CHECK(std::isfinite(float_sums()));
  device->free_spare_memory();
  const Bytes before = device->held_memory().value();
  for (int i = 0; i < 3; ++i) fail_to_record(*device);
  CHECK(float_sums() != float_sums());
  CHECK(device->held_memory().value() == before);
  // Pinned host memory has recordings as well.
  CHECK(at::ones({4}, at::TensorOptions().pinned_memory(true)).is_pinned());

  const at::Tensor sum = at::zeros({1000}, place);
  const auto work = [&] { sum.add_(at::randn({1000}, place)); };
  const auto recorded = device->record_graph(work, work);
  sum.zero_();
  recorded->replay();
  const at::Tensor once = sum.clone();
  recorded->replay();
  CHECK_FALSE(sum.sub(once).equal(once));  // Each replay has new noise.
}

TEST_CASE("a case on CUDA trains after a failed recording of another case") {
  if (!has_cuda()) return;
  const auto device = open_device("cuda");
  fail_to_record(*device);
  for (const Execution execution : {Execution::kEager, Execution::kGraph}) {
    const CaseRecord record = run_network("transformer_lm", {.execution = execution}, 8, 64, *device);
    INFO(record.status_reason);
    CHECK(record.status == RowStatus::kOk);
  }
}

TEST_CASE("recordings made with record_beside on CUDA share memory") {
  if (!has_cuda()) return;
  const auto device = open_device("cuda");
  const c10::Device place(device->name());
  constexpr std::int64_t kCount = std::int64_t{32} << 20;
  const at::Tensor sum = at::zeros({kCount}, place);
  const auto work = [&] { sum.add_(at::full({kCount}, 1.0F, sum.options())); };
  const auto reserved_by = [&](const std::function<std::unique_ptr<RecordedWork>()>& record) {
    device->free_spare_memory();
    device->reset_peak_memory();
    const Bytes before = device->peak_reserved_memory().value();
    const auto recorded = record();
    recorded->replay();
    return device->peak_reserved_memory().value() - before;
  };
  const auto first = device->record_graph(work, work);
  CHECK(reserved_by([&] { return device->record_beside(*first, work); }) < Bytes{4 * kCount});
  CHECK(reserved_by([&] { return device->record_graph([] {}, work); }) >= Bytes{4 * kCount});
}

TEST_CASE("repeated recording on CUDA does not increase memory") {
  if (!has_cuda()) return;
  const auto device = open_device("cuda");
  const NoisyProducts work{c10::Device(device->name())};
  device->record_graph(work, work);
  const Bytes before = device->held_memory().value();
  for (int i = 0; i < 3; ++i) device->record_graph(work, work)->replay();
  device->synchronize();
  CHECK(device->held_memory().value() == before);
}

TEST_CASE("a second GPU records and replays independently") {
  if (!has_cuda(2)) return;
  const auto first = open_device("cuda:0");
  const auto second = open_device("cuda:1");
  const Measured<Bytes> before = first->held_memory();
  const NoisyProducts work{c10::Device(second->name())};
  second->record_graph(work, work)->replay();
  second->synchronize();
  CHECK(work.sums.isfinite().all().item<bool>());
  CHECK(first->held_memory() == before);
}

TEST_CASE("a pilot and the largest batch of a recorded case on CUDA predict its memory") {
  if (!has_cuda()) return;
  const auto device = open_device("cuda");
  Case c = tiny_case();
  c.asked.device = device->name();
  c.asked.mode.execution = Execution::kGraph;
  CountingMonitor monitor;
  run_case(c, tiny_dataset(), *device, SteadyClock(), monitor);  // Libraries allocate their memory.
  const CaseRecord record = run_case(c, tiny_dataset(), *device, SteadyClock(), monitor);
  const Pilot pilot = run_pilot(c, tiny_dataset(), *device, SteadyClock(), Seconds{0});
  INFO(record.status_reason << pilot.status_reason);
  REQUIRE(pilot.status == RowStatus::kOk);
  CHECK(pilot.steps == 2 * 4);
  CHECK(pilot.peak_device.value() <= record.peak_device.value());
}

TEST_CASE("the host loader on CUDA returns the bits and strides of resident data") {
  if (!has_cuda()) return;
  const c10::Device place(open_device("cuda")->name());
  const Dataset data = make_synthetic({Task::kClassification, {3, 8, 8}, 10}, {500, 0, 0}, 1);
  const InputFormat format{GENERATE(at::kFloat, at::kHalf), GENERATE(false, true)};
  const ResidentSplit resident(data.train, 0, place, format);
  const SteadyClock clock;
  const auto source = make_host_source(data.train, 0, place, format, 32, clock);
  const NoisyProducts work{place};
  const bool is_device_busy = GENERATE(false, true);
  for (int epoch = 0; epoch < 3; ++epoch) {
    at::manual_seed(static_cast<std::uint64_t>(epoch));
    const at::Tensor order = at::randperm(500, at::kLong).to(place);
    at::manual_seed(static_cast<std::uint64_t>(epoch));
    source->begin_epoch();
    at::Tensor is_equal = at::ones({}, at::TensorOptions(place).dtype(at::kBool));
    for (std::int64_t first = 0; first < 500; first += 32) {
      // The loader is then as far ahead of the training as possible.
      for (int i = 0; is_device_busy && i < 50; ++i) work();
      const std::int64_t count = std::min<std::int64_t>(32, 500 - first);
      const Batch batch = source->next(count);
      const Batch same = resident.gather(order.narrow(0, first, count));
      CHECK(batch.inputs.strides() == same.inputs.strides());
      is_equal.logical_and_(batch.inputs.eq(same.inputs).all());
      is_equal.logical_and_(batch.targets.eq(same.targets).all());
    }
    CHECK(is_equal.item<bool>());
  }
}

TEST_CASE("every precision trains eager and recorded on CUDA, or has a reason") {
  if (!has_cuda()) return;
  const std::string model = GENERATE("cnn", "dcgan", "siamese", "transformer_lm", "vae");
  for (const Precision precision :
       {Precision::kTf32, Precision::kBf16, Precision::kFp16, Precision::kAmpBf16, Precision::kAmpFp16}) {
    const CaseRecord record = run_on_cuda(model, {Execution::kGraph, precision, Layout::kChannelsLast});
    INFO(model << " in " << to_string(precision) << ": " << record.status_reason);
    CHECK((record.status == RowStatus::kOk || record.status == RowStatus::kUnsupported));
  }
}

TEST_CASE("an epoch on CUDA never waits for the device") {
  if (!has_cuda()) return;
  NoWaitDevice device;
  CountingMonitor monitor;
  Case c = tiny_case();
  c.asked.device = device.name();
  c.asked.mode.execution = GENERATE(Execution::kEager, Execution::kGraph);
  const CaseRecord record = run_case(c, tiny_dataset(), device, SteadyClock(), monitor);
  INFO(record.status_reason);
  CHECK(record.status == RowStatus::kOk);
  CHECK(monitor.steps == 3 * 4);
  REQUIRE(record.block_seconds.size() == 3 * 4);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto first = record.block_seconds.begin() + static_cast<std::ptrdiff_t>(4 * i);
    CHECK(std::accumulate(first, first + 4, 0.0) <= record.epoch_seconds[i] * 1.01);
  }
}

TEST_CASE("all choices of auto on CUDA agree with nchw and with eager steps") {
  if (!has_cuda()) return;
  const std::string model =
      GENERATE("mlp", "cnn", "lstm", "resnet50", "dcgan", "siamese", "transformer_lm", "vae");
  const Precision precision = GENERATE(Precision::kFp32, Precision::kTf32, Precision::kAmpBf16);
  const auto device = open_device("cuda");
  const CaseRecord record = run_network(model, {.precision = precision}, 32, 200, *device);
  INFO(model << " in " << to_string(precision) << ": " << record.execution_note << "; "
             << record.layout_note);
  REQUIRE(record.status == RowStatus::kOk);
  CHECK(record.execution_used.value() == "graph");
  CHECK(record.layout_note.find("otherwise") == std::string::npos);
}

#else

TEST_CASE("CUDA trains, records, falls back and loads") { WARN("skipped: this build has no CUDA"); }

#endif

}  // namespace gpubench::test::cuda_test
