#include <torch/cuda.h>

#include "device/cuda_graph.h"
#include "device/cuda_memory.h"
#include "device/cuda_timer.h"
#include "device/entries.h"

#ifdef GPUBENCH_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

namespace gpubench {
namespace {

#ifdef GPUBENCH_HAS_CUDA

/// 13000 to "13.0": the highest CUDA version that the driver serves.
Reading<std::string> driver_version() {
  int version = 0;
  if (cudaDriverGetVersion(&version) != cudaSuccess) return absent("the driver does not tell its version");
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

DeviceRecord read_card(const std::string& name, int index) {
  cudaDeviceProp card{};
  if (cudaGetDeviceProperties(&card, index) != cudaSuccess) {
    const Absent unknown = absent("cudaGetDeviceProperties failed");
    return {name, "unknown NVIDIA GPU", unknown, unknown, unknown, {}};
  }
  return {name,
          card.name,
          Bytes{static_cast<std::int64_t>(card.totalGlobalMem)},
          driver_version(),
          "sm_" + std::to_string(card.major) + std::to_string(card.minor),
          {}};
}

constexpr const char* kHowToGetCuda =
    "LibTorch finds no usable NVIDIA GPU; check that 'nvidia-smi' works and that the driver is new enough";

#else

DeviceRecord read_card(const std::string& name, int) {
  const Absent unknown = absent("this build has no CUDA");
  return {name, "unknown", unknown, unknown, unknown, {}};
}

constexpr const char* kHowToGetCuda =
    "this build's LibTorch has no CUDA; delete the build folder and run scripts/run.sh with "
    "GPUBENCH_TORCH_FLAVOR=cuda";

#endif

class CudaDevice : public Device {
 public:
  explicit CudaDevice(int index) : index_(index), memory_(index) {}

  std::string name() const override { return "cuda:" + std::to_string(index_); }

  DeviceRecord record() const override { return read_card(name(), index_); }

  void synchronize() override { torch::cuda::synchronize(index_); }
  std::unique_ptr<DeviceTimer> make_timer() override { return make_cuda_timer(index_); }

  Reading<Bytes> peak_memory() const override { return memory_.peak_memory(); }
  Reading<Bytes> peak_reserved_memory() const override { return memory_.peak_reserved_memory(); }
  void reset_peak_memory() override { memory_.reset_peak_memory(); }
  Reading<Bytes> held_memory() const override { return memory_.held_memory(); }
  Reading<Bytes> memory_in_use() const override { return memory_.memory_in_use(); }
  Reading<Bytes> free_memory() const override { return memory_.free_memory(); }
  std::vector<Warning> memory_warnings() const override { return memory_.memory_warnings(); }

  std::string why_no_graph() const override { return why_no_cuda_graph(); }

  std::unique_ptr<RecordedWork> record_graph(const std::function<void()>& warm_up,
                                             const std::function<void()>& work) override {
    return record_cuda_graph(index_, warm_up, work);
  }

  std::vector<Warning> warnings() const override { return memory_.warnings(); }

 private:
  int index_;
  CudaMemory memory_;
};

int count(std::string& why_not) {
  const int devices = torch::cuda::is_available() ? torch::cuda::device_count() : 0;
  if (devices == 0) why_not = kHowToGetCuda;
  return devices;
}

std::unique_ptr<Device> open(int index) { return std::make_unique<CudaDevice>(index); }

}  // namespace

DeviceEntry entry_cuda() { return {"cuda", "NVIDIA GPUs", true, count, open}; }

}  // namespace gpubench
