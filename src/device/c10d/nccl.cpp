#include <cstddef>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "device/c10d/backend.h"
#include "gpubench/core/error.h"

#if GPUBENCH_HAS_CUDA

// As in gloo.cpp: declared again, so that neither NCCL's headers nor all of CUDA's are needed. Of the options
// only those of Backend are touched.
namespace c10d {

class TORCH_API ProcessGroupNCCL : public Backend {
 public:
  struct Options : Backend::Options {
    explicit Options(bool is_high_priority_stream = false);

   private:
    std::byte room_[2048];
  };

  ProcessGroupNCCL(c10::intrusive_ptr<Store> store, int rank, int size, c10::intrusive_ptr<Options> options);
  ~ProcessGroupNCCL() override;

 private:
  std::byte room_[16384];
};

}  // namespace c10d

namespace gpubench {

c10::intrusive_ptr<c10d::Backend> make_nccl(const BackendRequest& request) {
  auto options = c10::make_intrusive<c10d::ProcessGroupNCCL::Options>();
  options->timeout = request.timeout;
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(request.store, request.rank, request.ranks, options);
}

}  // namespace gpubench

#else

namespace gpubench {

c10::intrusive_ptr<c10d::Backend> make_nccl(const BackendRequest&) {
  throw Error(ErrorKind::kDevice, "this LibTorch was built without NCCL; run 'gpubench setup --device cuda'");
}

}  // namespace gpubench

#endif
