#include "device/cuda_timer.h"

#ifdef GPUBENCH_HAS_CUDA
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#endif

namespace gpubench {

#ifdef GPUBENCH_HAS_CUDA
namespace {

/// A mark in the queue of the GPU that is current when it is made.
class Event {
 public:
  Event() { C10_CUDA_CHECK(cudaEventCreate(&event_)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(c10::DeviceIndex index) {
    C10_CUDA_CHECK(cudaEventRecord(event_, c10::cuda::getCurrentCUDAStream(index)));
  }

  void wait() const { C10_CUDA_CHECK(cudaEventSynchronize(event_)); }

  /// CUDA resolves half a microsecond.
  Seconds since(const Event& earlier) const {
    float milliseconds = 0;
    C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, earlier.event_, event_));
    return {static_cast<double>(milliseconds) / 1000};
  }

 private:
  cudaEvent_t event_ = nullptr;
};

class CudaTimer : public DeviceTimer {
 public:
  explicit CudaTimer(c10::DeviceIndex index) : guard_(index), index_(index) {}

  void start() override { start_.record(index_); }
  void stop() override { stop_.record(index_); }

  Seconds elapsed() override {
    stop_.wait();
    return stop_.since(start_);
  }

 private:
  c10::cuda::CUDAGuard guard_;  // Before the events, which belong to the GPU that is current.
  c10::DeviceIndex index_;
  Event start_;
  Event stop_;
};

}  // namespace

std::unique_ptr<DeviceTimer> make_cuda_timer(int index) {
  return std::make_unique<CudaTimer>(static_cast<c10::DeviceIndex>(index));
}
#else
std::unique_ptr<DeviceTimer> make_cuda_timer(int) { return nullptr; }
#endif

}  // namespace gpubench
