// On a machine with an NVIDIA GPU and a build with CUDA; says that it was skipped elsewhere.

#include "gpubench/device.h"
#include "gpubench/engine/runner.h"
#include "support/catch.h"
#include "tiny.h"

#ifdef GPUBENCH_HAS_CUDA
#include <c10/cuda/CUDAFunctions.h>
#endif

using namespace gpubench;
using namespace gpubench::test;

#ifdef GPUBENCH_HAS_CUDA

namespace {

/// A device under whose epochs any wait of the host for the GPU throws.
class NoWaitDevice : public Device {
 public:
  std::string name() const override { return cuda_->name(); }
  DeviceRecord record() const override { return cuda_->record(); }
  /// Called at both ends of a window: what lies between two calls is watched every second time.
  void synchronize() override {
    cuda_->synchronize();
    is_watching_ = !is_watching_;
    const auto mode = is_watching_ && ++windows_ > 1 ? c10::cuda::SyncDebugMode::L_ERROR
                                                     : c10::cuda::SyncDebugMode::L_DISABLED;
    c10::cuda::warning_state().set_sync_debug_mode(mode);
  }

 private:
  std::unique_ptr<Device> cuda_ = open_device("cuda");
  bool is_watching_ = false;
  int windows_ = 0;  // The first one is set-up, which does copy and wait.
};

}  // namespace

TEST_CASE("an epoch on CUDA never waits for the device") {
  std::string why_not;
  if (device_kinds().require("cuda", "").count(why_not) == 0) {
    WARN("skipped: " << why_not);
    return;
  }
  NoWaitDevice device;
  CountingMonitor monitor;
  Case c = tiny_case();
  c.device = device.name();
  const CaseRecord record = run_case(c, tiny_dataset(), device, SteadyClock(), monitor);
  INFO(record.status_reason);
  CHECK(record.status == CaseStatus::kOk);
  CHECK(monitor.steps == 3 * 4);
}

#else

TEST_CASE("an epoch on CUDA never waits for the device") { WARN("skipped: this build has no CUDA"); }

#endif
