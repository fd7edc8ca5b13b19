#include <torch/cuda.h>

#include "device/entries.h"

#ifdef GPUBENCH_HAS_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>

#include "gpubench/core/byte_size.h"
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

/// Whether LibTorch has used a GPU; before that its allocator throws when it is asked.
bool has_allocator() { return c10::cuda::CUDACachingAllocator::get()->initialized(); }

c10::DeviceIndex device_index(int index) { return static_cast<c10::DeviceIndex>(index); }

Reading<Bytes> read_peak(int index) {
  if (!has_allocator()) return absent("no tensor was on the device yet");
  return Bytes{c10::cuda::CUDACachingAllocator::getDeviceStats(device_index(index)).allocated_bytes[0].peak};
}

void reset_peak(int index) {
  if (has_allocator()) c10::cuda::CUDACachingAllocator::resetPeakStats(device_index(index));
}

/// What this process's allocator has taken from the driver, its spare blocks included.
Bytes reserved_memory(int index) {
  if (!has_allocator()) return {};
  return {c10::cuda::CUDACachingAllocator::getDeviceStats(device_index(index)).reserved_bytes[0].current};
}

struct CardMemory {
  Bytes free;
  Bytes total;
};

Reading<CardMemory> read_memory(int index) {
  const c10::cuda::CUDAGuard on_card(device_index(index));
  std::size_t free = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) {
    cudaGetLastError();  // Else LibTorch would find the error later, and blame an operation for it.
    return absent("cudaMemGetInfo failed");
  }
  return CardMemory{{static_cast<std::int64_t>(free)}, {static_cast<std::int64_t>(total)}};
}

Reading<Bytes> read_free_memory(int index) {
  const Reading<CardMemory> memory = read_memory(index);
  if (!memory.has_value()) return absent(memory.reason());
  return memory.value().free;
}

/// This process's own context, with the code of cuDNN and cuBLAS, takes 0.3 to 1.2 GiB beside the allocator.
constexpr Bytes kContextAllowance{std::int64_t{3} << 29};

std::vector<std::string> memory_warnings(int index) {
  const Reading<CardMemory> memory = read_memory(index);
  if (!memory.has_value()) return {};
  const Bytes others = memory.value().total - memory.value().free - reserved_memory(index);
  if (others <= kContextAllowance) return {};
  return {"other processes hold " + byte_text(others) + " of the GPU's memory"};
}

constexpr const char* kHowToGetCuda =
    "LibTorch finds no usable NVIDIA GPU; check that 'nvidia-smi' works and that the driver is new enough";

#else

DeviceRecord read_card(const std::string& name, int) {
  const Absent unknown = absent("this build has no CUDA");
  return {name, "unknown", unknown, unknown, unknown, {}};
}

Reading<Bytes> read_peak(int) { return absent("this build has no CUDA"); }
void reset_peak(int) {}
Reading<Bytes> read_free_memory(int) { return absent("this build has no CUDA"); }
std::vector<std::string> memory_warnings(int) { return {}; }

constexpr const char* kHowToGetCuda =
    "this build's LibTorch has no CUDA; delete the build folder and run scripts/run.sh with "
    "GPUBENCH_TORCH_FLAVOR=cuda";

#endif

class CudaDevice : public Device {
 public:
  explicit CudaDevice(int index) : index_(index) {}

  std::string name() const override { return "cuda:" + std::to_string(index_); }

  DeviceRecord record() const override { return read_card(name(), index_); }

  void synchronize() override { torch::cuda::synchronize(index_); }

  Reading<Bytes> peak_memory() const override { return read_peak(index_); }

  void reset_peak_memory() override { reset_peak(index_); }

  Reading<Bytes> free_memory() const override { return read_free_memory(index_); }

  std::vector<std::string> warnings() const override { return memory_warnings(index_); }

 private:
  int index_;
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
