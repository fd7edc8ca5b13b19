#include "device/cuda_memory.h"

#ifdef GPUBENCH_HAS_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>

#include "gpubench/core/text/byte_size.h"
#endif

namespace gpubench {

#ifdef GPUBENCH_HAS_CUDA
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

c10::DeviceIndex device_index(int index) { return static_cast<c10::DeviceIndex>(index); }

/// Whether LibTorch has used a GPU; before that its allocator throws when it is asked.
bool has_allocator() { return allocator::get()->initialized(); }

auto stats_of(int index) { return allocator::getDeviceStats(device_index(index)); }

Absent not_used_yet() { return absent("no tensor was on the device yet"); }

/// What this process's allocator has taken from the driver, its spare blocks included.
Bytes reserved_memory(int index) {
  if (!has_allocator()) return {};
  return {stats_of(index).reserved_bytes[0].current};
}

std::int64_t alloc_retries(int index) { return has_allocator() ? stats_of(index).num_alloc_retries : 0; }

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

/// This process's own context, with the code of cuDNN and cuBLAS, takes 0.3 to 1.2 GiB beside the allocator.
constexpr Bytes kContextAllowance{std::int64_t{3} << 29};

}  // namespace

Reading<Bytes> CudaMemory::peak_memory() const {
  if (!has_allocator()) return not_used_yet();
  return Bytes{stats_of(index_).allocated_bytes[0].peak};
}

Reading<Bytes> CudaMemory::peak_reserved_memory() const {
  if (!has_allocator()) return not_used_yet();
  return Bytes{stats_of(index_).reserved_bytes[0].peak};
}

Reading<Bytes> CudaMemory::held_memory() const {
  if (!has_allocator()) return not_used_yet();
  return Bytes{stats_of(index_).allocated_bytes[0].current};
}

Reading<Bytes> CudaMemory::memory_in_use() const {
  const Reading<CardMemory> memory = read_memory(index_);
  if (!memory.has_value()) return absent(memory.reason());
  return memory.value().total - memory.value().free;
}

Reading<Bytes> CudaMemory::free_memory() const {
  const Reading<CardMemory> memory = read_memory(index_);
  if (!memory.has_value()) return absent(memory.reason());
  return memory.value().free;
}

void CudaMemory::reset_peak_memory() {
  if (has_allocator()) allocator::resetPeakStats(device_index(index_));
  retries_before_ = alloc_retries(index_);
}

std::vector<Warning> CudaMemory::memory_warnings() const {
  const std::int64_t retries = alloc_retries(index_) - retries_before_;
  if (retries <= 0) return {};
  const std::string times = retries == 1 ? "once" : std::to_string(retries) + " times";
  return {{"allocator-retries", static_cast<double>(retries),
           "the device's memory was nearly full: LibTorch's allocator gave spare blocks back and retried " +
               times}};
}

std::vector<Warning> CudaMemory::warnings() const {
  const Reading<CardMemory> memory = read_memory(index_);
  if (!memory.has_value()) return {};
  const Bytes others = memory.value().total - memory.value().free - reserved_memory(index_);
  if (others <= kContextAllowance) return {};
  return {{"gpu-memory-of-others", static_cast<double>(others.value),
           "other processes hold " + byte_text(others) + " of the GPU's memory"}};
}

#else
namespace {

Absent no_cuda() { return absent("this build has no CUDA"); }

}  // namespace

Reading<Bytes> CudaMemory::peak_memory() const { return no_cuda(); }
Reading<Bytes> CudaMemory::peak_reserved_memory() const { return no_cuda(); }
Reading<Bytes> CudaMemory::held_memory() const { return no_cuda(); }
Reading<Bytes> CudaMemory::memory_in_use() const { return no_cuda(); }
Reading<Bytes> CudaMemory::free_memory() const { return no_cuda(); }
void CudaMemory::reset_peak_memory() {}
std::vector<Warning> CudaMemory::memory_warnings() const { return {}; }
std::vector<Warning> CudaMemory::warnings() const { return {}; }

#endif

}  // namespace gpubench
