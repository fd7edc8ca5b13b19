// On a machine with an NVIDIA GPU and a build with CUDA; says that it was skipped elsewhere.

#include <numeric>

#include "engine/training/runner.h"
#include "gpubench/device.h"
#include "gpubench/model_catalog.h"
#include "support/catch.h"
#include "tiny.h"

#ifdef GPUBENCH_HAS_CUDA
#include <c10/cuda/CUDAFunctions.h>
#endif

using namespace gpubench;
using namespace gpubench::test;

#ifdef GPUBENCH_HAS_CUDA

namespace {

/// A device under whose three epochs any wait of the host for the GPU throws.
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
    watch(false);  // Recording is set-up as well, and waits.
    set_up_windows_ = 4;
    return cuda_->record_graph(warm_up, work);
  }

 private:
  static void watch(bool is_watching) {
    c10::cuda::warning_state().set_sync_debug_mode(is_watching ? c10::cuda::SyncDebugMode::L_ERROR
                                                               : c10::cuda::SyncDebugMode::L_DISABLED);
  }

  std::unique_ptr<Device> cuda_ = open_device("cuda");
  bool is_in_window_ = false;
  int windows_ = 0;
  int set_up_windows_ = 3;  // Build, transfer and optimiser, which do copy and wait.
};

bool has_cuda() {
  std::string why_not;
  if (device_kinds().require("cuda", "").count(why_not) > 0) return true;
  WARN("skipped: " << why_not);
  return false;
}

CaseRecord run_on_cuda(const std::string& model, const TrainingMode& mode) {
  const auto device = open_device("cuda");
  return run_network(model, mode, 32, 200, *device);
}

}  // namespace

TEST_CASE("recorded epochs on CUDA learn what eager ones learn") {
  if (!has_cuda()) return;
  const std::string model = GENERATE("mlp", "cnn", "lstm", "dcgan", "siamese", "transformer_lm", "vae");
  const CaseRecord eager = run_on_cuda(model, {.execution = Execution::kEager});
  const CaseRecord graph = run_on_cuda(model, {.execution = Execution::kGraph});
  INFO(model << ": " << graph.status_reason);
  REQUIRE(graph.status == RowStatus::kOk);
  CHECK(graph.execution_used.value() == "graph");
  CHECK(graph.trained_steps == eager.trained_steps);
  CHECK(graph.training.front().second.back() ==
        approx(eager.training.front().second.back()).epsilon(0.3).margin(0.1));
}

TEST_CASE("every precision trains on CUDA or says why not, recorded as well") {
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
  c.device = device.name();
  c.mode.execution = GENERATE(Execution::kEager, Execution::kGraph);
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

#else

TEST_CASE("an epoch on CUDA never waits for the device") { WARN("skipped: this build has no CUDA"); }

#endif
