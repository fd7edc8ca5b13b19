#include <torch/cuda.h>

#include "gpubench/core/error.h"
#include "gpubench/device.h"

#ifdef GPUBENCH_HAS_CUDA
#include <optional>

#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <torch/version.h>

#include "gpubench/record/environment.h"
#endif

namespace gpubench::cuda_plugin {
namespace {

#ifdef GPUBENCH_HAS_CUDA

/// Clears an error, since LibTorch would later attribute it to an unrelated operation.
bool has_succeeded(cudaError_t status) {
  if (status != cudaSuccess) cudaGetLastError();
  return status == cudaSuccess;
}

/// Returns the highest CUDA version of the driver, such as "CUDA 13.0".
Measured<std::string> driver_version() {
  int version = 0;
  if (!has_succeeded(cudaDriverGetVersion(&version))) return missing("cudaDriverGetVersion failed");
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Formats a UUID like nvidia-smi.
std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

DeviceRecord read_card(const std::string& name, int index) {
  cudaDeviceProp card{};
  if (cudaGetDeviceProperties(&card, index) != cudaSuccess)
    throw Error(ErrorKind::kDevice, "{}: the driver reports no properties; check nvidia-smi", name);
  return {.name = name,
          .model = card.name,
          .memory = Bytes{static_cast<std::int64_t>(card.totalGlobalMem)},
          .driver = driver_version(),
          .architecture = "sm_" + std::to_string(card.major) + std::to_string(card.minor),
          .uuid = uuid_text(card.uuid),
          .pci_address =
              fmt::format("{:04x}:{:02x}:{:02x}.0", card.pciDomainID, card.pciBusID, card.pciDeviceID)};
}

namespace allocator = c10::cuda::CUDACachingAllocator;

/// Returns true if LibTorch has used a GPU. Until then, its allocator throws.
bool has_allocator() { return allocator::get()->initialized(); }

auto read_stats(c10::DeviceIndex index) {
  using Stats = Measured<decltype(allocator::getDeviceStats(index))>;
  if (!has_allocator()) return Stats(missing("no tensor has been on the device"));
  return Stats(allocator::getDeviceStats(index));
}

std::int64_t alloc_retries(c10::DeviceIndex index) {
  return read_stats(index).then([](const auto& stats) { return stats.num_alloc_retries; }).value_or(0);
}

struct CardMemory {
  Bytes free;
  Bytes total;
};

Measured<CardMemory> read_memory(c10::DeviceIndex index) {
  const c10::cuda::CUDAGuard on_card(index);
  std::size_t free = 0;
  std::size_t total = 0;
  if (!has_succeeded(cudaMemGetInfo(&free, &total))) return missing("cudaMemGetInfo failed");
  return CardMemory{{static_cast<std::int64_t>(free)}, {static_cast<std::int64_t>(total)}};
}

/// Allowance for this process's context with cuDNN and cuBLAS, which takes 0.3 to 1.2 GiB.
constexpr Bytes kContextAllowance{std::int64_t{3} << 29};

/// Marks by CUDA events, with a resolution of 0.5 µs.
class CudaMarks : public DeviceMarks {
 public:
  /// Records each event once: creating one during an epoch or a recording must be avoided.
  CudaMarks(c10::DeviceIndex index, std::size_t count) : index_(index) {
    events_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      events_.emplace_back(cudaEventDefault | cudaEventExternal);
      mark(i);
    }
  }

  void mark(std::size_t number) override {
    events_.at(number).record(c10::cuda::getCurrentCUDAStream(index_));
  }

  Measured<Seconds> between(std::size_t from, std::size_t to) const override {
    float milliseconds = 0;
    if (!has_succeeded(cudaEventElapsedTime(&milliseconds, events_.at(from).event(), events_.at(to).event())))
      return missing("cudaEventElapsedTime failed");
    return Seconds{static_cast<double>(milliseconds) / 1000};
  }

 private:
  c10::DeviceIndex index_;
  // With cudaEventExternal, events have times in recorded work too, instead of only ordering streams.
  std::vector<at::cuda::CUDAEvent> events_;
};

/// True if this LibTorch frees a stream's cuBLAS workspaces together with any graph recorded on the stream
/// (https://github.com/pytorch/pytorch/issues/193402). Then each graph needs its own stream. Otherwise one
/// stream is better, since it keeps its workspaces.
constexpr bool kFreesWorkspacesWithGraphs = TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR > 11;

using PoolId = decltype(at::cuda::graph_pool_handle());

/// Runs clean-up work and ignores its failures.
template <class Work>
void attempt(Work work) {
  try {
    work();
  } catch (const std::exception&) {
    cudaGetLastError();  // Cleared, since only the first error is reported.
  }
}

/// Removes the pool of a failed recording from the pinned-memory allocator, if it supports pools.
template <class HostAllocator>
void close_host_pool(HostAllocator* allocator, PoolId pool) {
  if constexpr (requires { allocator->end_allocate_to_pool(pool), allocator->release_pool(pool); }) {
    attempt([&] { allocator->end_allocate_to_pool(pool), allocator->release_pool(pool); });
  }
}

/// CUDA graph. Tensors that its work allocates are in `pool`.
class CudaGraph : public RecordedWork {
 public:
  /// Records the work on `stream`, which must be the current stream.
  CudaGraph(c10::cuda::CUDAStream stream, PoolId pool, const std::function<void()>& work)
      : stream_(stream), pool_(pool) {
    try {
      // Thread-local, since NCCL's threads query earlier work during the recording.
      graph_.capture_begin(pool_, cudaStreamCaptureModeThreadLocal);
      work();
      node_count_ = count_nodes();
      graph_.capture_end();
    } catch (...) {
      attempt([&] { graph_.capture_end(); });
      clean_up();
      throw;
    }
  }

  c10::cuda::CUDAStream stream() const { return stream_; }
  PoolId pool() const { return pool_; }

  void replay() override { graph_.replay(); }

  std::int64_t node_count() const override { return node_count_; }

 private:
  /// Returns the number of nodes of the graph in recording; 0 if unknown.
  std::int64_t count_nodes() const {
    cudaStreamCaptureStatus status{};
    unsigned long long id = 0;
    cudaGraph_t graph = nullptr;
    std::size_t count = 0;
#if CUDART_VERSION >= 13000
    const cudaError_t found =
        cudaStreamGetCaptureInfo(stream_, &status, &id, &graph, nullptr, nullptr, nullptr);
#else
    const cudaError_t found = cudaStreamGetCaptureInfo_v2(stream_, &status, &id, &graph, nullptr, nullptr);
#endif
    const bool is_counted =
        has_succeeded(found) && graph != nullptr && has_succeeded(cudaGraphGetNodes(graph, nullptr, &count));
    return is_counted ? static_cast<std::int64_t>(count) : 0;
  }

  /// Undoes capture_begin() after a failed recording. Without it, up to LibTorch 2.11, allocators use a
  /// deleted graph and random numbers throw (https://github.com/pytorch/pytorch/issues/171263).
  void clean_up() {
    attempt([&] {
      allocator::endAllocateToPool(stream_.device_index(), pool_);
      allocator::releasePool(stream_.device_index(), pool_);
    });
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 10
    close_host_pool(at::getHostAllocator(at::kCUDA), pool_);
#endif
    // The random number generator stays in recording mode until a recording succeeds.
    attempt([&] {
      const at::Tensor nothing = at::zeros({1}, at::TensorOptions(stream_.device()));
      at::cuda::CUDAGraph other;
      other.capture_begin();
      nothing.zero_();
      other.capture_end();
    });
  }

  c10::cuda::CUDAStream stream_;
  PoolId pool_;
  std::int64_t node_count_ = 0;
  at::cuda::CUDAGraph graph_;
};

class CudaDevice : public Device {
 public:
  explicit CudaDevice(int index) : index_(static_cast<c10::DeviceIndex>(index)) {}

  std::string name() const override { return "cuda:" + std::to_string(index_); }

  DeviceRecord record() const override { return read_card(name(), index_); }

  void synchronize() override { torch::cuda::synchronize(index_); }

  std::string why_no_marks() const override { return {}; }
  bool has_own_clock() const override { return true; }
  std::unique_ptr<DeviceMarks> make_marks(const Clock&, std::size_t count) override {
    return std::make_unique<CudaMarks>(index_, count);
  }

  Measured<Bytes> peak_memory() const override {
    return read_stats(index_).then([](const auto& stats) { return Bytes{stats.allocated_bytes[0].peak}; });
  }

  Measured<Bytes> peak_reserved_memory() const override {
    return read_stats(index_).then([](const auto& stats) { return Bytes{stats.reserved_bytes[0].peak}; });
  }

  Measured<Bytes> held_memory() const override {
    return read_stats(index_).then([](const auto& stats) { return Bytes{stats.allocated_bytes[0].current}; });
  }

  Measured<Bytes> memory_in_use() const override {
    return read_memory(index_).then([](const CardMemory& memory) { return memory.total - memory.free; });
  }

  Measured<Bytes> free_memory() const override { return read_memory(index_).then(&CardMemory::free); }

  void reset_peak_memory() override {
    if (has_allocator()) allocator::resetPeakStats(index_);
    retries_before_ = alloc_retries(index_);
  }

  std::vector<Warning> memory_warnings() const override {
    const std::int64_t retries = alloc_retries(index_) - retries_before_;
    if (retries <= 0) return {};
    const std::string times = retries == 1 ? "once" : std::to_string(retries) + " times";
    return {make_warning(WarningKind::kAllocatorRetries, static_cast<double>(retries), times)};
  }

  std::vector<Warning> warnings() const override {
    const Measured<CardMemory> memory = read_memory(index_);
    if (!memory.has_value()) return {};
    // Memory that this process's allocator reserved, including cached blocks.
    const auto stats = read_stats(index_);
    const Bytes own{stats.has_value() ? stats.value().reserved_bytes[0].current : 0};
    const Bytes others = memory.value().total - memory.value().free - own;
    if (others <= kContextAllowance) return {};
    return {make_warning(WarningKind::kGpuMemoryOfOthers, static_cast<double>(others.value))};
  }

  std::string why_no_graph() const override { return {}; }

  std::unique_ptr<RecordedWork> record_graph(const std::function<void()>& warm_up,
                                             const std::function<void()>& work) override {
    // LibTorch's graphs and synchronization apply to the current GPU.
    const c10::cuda::CUDAGuard on_card(index_);
    // Waits for earlier work on other streams, such as the transfer of the data.
    c10::cuda::device_synchronize();
    // Recording needs a stream other than the default stream. Later work waits for it.
    if (kFreesWorkspacesWithGraphs || !side_stream_) {
      side_stream_ = c10::cuda::getStreamFromPool(/*isHighPriority=*/false, index_);
    }
    const c10::cuda::CUDAStreamGuard on_stream(*side_stream_);
    warm_up();
    side_stream_->synchronize();
    // Frees the blocks of the warm-up, which the graph's pool cannot reuse.
    free_spare_memory();
    return std::make_unique<CudaGraph>(*side_stream_, at::cuda::graph_pool_handle(), work);
  }

  std::unique_ptr<RecordedWork> record_beside(const RecordedWork& other,
                                              const std::function<void()>& work) override {
    const auto& graph = dynamic_cast<const CudaGraph&>(other);
    const c10::cuda::CUDAStreamGuard on_stream(graph.stream());
    return std::make_unique<CudaGraph>(graph.stream(), graph.pool(), work);
  }

  void free_spare_memory() override {
    if (has_allocator()) allocator::emptyCache();
  }

 private:
  c10::DeviceIndex index_;
  std::int64_t retries_before_ = 0;  // Allocator retries at the last reset of the peaks.
  std::optional<c10::cuda::CUDAStream> side_stream_;
};

int count(std::string& why_not) {
  why_not =
      "LibTorch finds no usable NVIDIA GPU; check CUDA_VISIBLE_DEVICES, the driver version, and that "
      "'nvidia-smi' works";
  return torch::cuda::is_available() ? torch::cuda::device_count() : 0;
}

std::unique_ptr<Device> open(int index) { return std::make_unique<CudaDevice>(index); }

#else

constexpr const char* kHowToGetCuda =
    "this LibTorch has no CUDA; run 'gpubench setup --device cuda', or in a clone delete the build folder "
    "and run scripts/run.sh with GPUBENCH_TORCH_FLAVOR=cuda";

int count(std::string& why_not) {
  why_not = kHowToGetCuda;
  return 0;
}

std::unique_ptr<Device> open(int) { throw Error(ErrorKind::kDevice, kHowToGetCuda); }

#endif

}  // namespace

DeviceEntry entry_cuda() { return {"cuda", "NVIDIA GPUs", true, count, open}; }

}  // namespace gpubench::cuda_plugin
