#include "device/cuda_graph.h"

#ifdef GPUBENCH_HAS_CUDA
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace gpubench {

#ifdef GPUBENCH_HAS_CUDA
namespace {

/// A stream that is no default one, on which alone work can be recorded, made the current one for a while.
/// What follows it waits for it.
class SideStream {
 public:
  explicit SideStream(c10::DeviceIndex index)
      : stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, index)), guard_(stream_) {}

  void wait() const { stream_.synchronize(); }

 private:
  c10::cuda::CUDAStream stream_;
  c10::cuda::CUDAStreamGuard guard_;
};

class CudaGraph : public RecordedWork {
 public:
  void record(const std::function<void()>& work) {
    graph_.capture_begin();
    try {
      work();
    } catch (...) {
      abandon();
      throw;
    }
    graph_.capture_end();
  }

  void replay() override { graph_.replay(); }

 private:
  /// Ends the recording, which has become useless, so that the stream can be used again.
  void abandon() {
    try {
      graph_.capture_end();
    } catch (const std::exception&) {
      cudaGetLastError();  // The first error is the one to tell.
    }
  }

  at::cuda::CUDAGraph graph_;
};

}  // namespace

std::string why_no_cuda_graph() { return {}; }

std::unique_ptr<RecordedWork> record_cuda_graph(int index, const std::function<void()>& warm_up,
                                                const std::function<void()>& work) {
  const auto device = static_cast<c10::DeviceIndex>(index);
  // What was queued before, the transfer of the data above all, is on another stream.
  c10::cuda::device_synchronize();
  const SideStream stream(device);
  warm_up();
  stream.wait();
  // Blocks of the warm-up would be kept beside those of the graph.
  c10::cuda::CUDACachingAllocator::emptyCache();
  auto graph = std::make_unique<CudaGraph>();
  graph->record(work);
  return graph;
}

#else

std::string why_no_cuda_graph() { return "this build has no CUDA"; }

std::unique_ptr<RecordedWork> record_cuda_graph(int, const std::function<void()>&,
                                                const std::function<void()>&) {
  throw Error(ErrorKind::kDevice, why_no_cuda_graph());
}

#endif

}  // namespace gpubench
