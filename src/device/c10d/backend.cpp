#include "device/c10d/backend.h"

#include <cstddef>
#include <memory>
#include <vector>

#include <torch/version.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "gpubench/core/error.h"

// LibTorch exports these classes but hides their headers without Gloo and NCCL, so they are declared again.
// The library's own constructors make the objects, in larger room, used through Backend's virtual functions.
namespace gloo::transport {
class Device;
}

namespace c10d {

class TORCH_API ProcessGroupGloo : public Backend {
 public:
  struct TORCH_API Options : public Backend::Options {
    explicit Options(std::chrono::milliseconds timeout = kBackendDefaultTimeout);
    std::vector<std::shared_ptr<::gloo::transport::Device>> devices;
    int threads;
  };

#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 7
  static std::shared_ptr<::gloo::transport::Device> createDeviceForHostname(const std::string& name,
                                                                            bool is_lazy);
#else
  static std::shared_ptr<::gloo::transport::Device> createDeviceForHostname(const std::string& name);
#endif
  explicit ProcessGroupGloo(const c10::intrusive_ptr<Store>& store, int rank, int size,
                            c10::intrusive_ptr<Options> options);
  ~ProcessGroupGloo() override;  // In the library, as the table of virtual functions is.

 private:
  std::byte room_[4096];
};

#if GPUBENCH_HAS_CUDA
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
#endif

}  // namespace c10d

namespace gpubench {
namespace {

c10::intrusive_ptr<c10d::Backend> make_gloo(const BackendRequest& request) {
  using Gloo = c10d::ProcessGroupGloo;
  auto options = c10::make_intrusive<Gloo::Options>(request.timeout);
  options->threads = 2;
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 7
  options->devices = {Gloo::createDeviceForHostname(request.address, /*is_lazy=*/false)};
#else
  options->devices = {Gloo::createDeviceForHostname(request.address)};
#endif
  return c10::make_intrusive<Gloo>(request.store, request.rank, request.ranks, options);
}

c10::intrusive_ptr<c10d::Backend> make_nccl([[maybe_unused]] const BackendRequest& request) {
#if GPUBENCH_HAS_CUDA
  auto options = c10::make_intrusive<c10d::ProcessGroupNCCL::Options>();
  options->timeout = request.timeout;
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(request.store, request.rank, request.ranks, options);
#else
  throw Error(ErrorKind::kDevice, "this LibTorch was built without NCCL; run 'gpubench setup --device cuda'");
#endif
}

}  // namespace

std::string backend_name(c10::Device device) {
  if (device.is_cuda()) return "nccl";
  return device.is_cpu() ? "gloo" : "";
}

c10::intrusive_ptr<c10d::Backend> make_backend(c10::Device device, const BackendRequest& request) {
  if (device.is_cuda()) return make_nccl(request);
  if (device.is_cpu()) return make_gloo(request);
  throw Error(ErrorKind::kDevice, "LibTorch carries no tensors between devices such as {}; use cuda or cpu",
              device.str());
}

}  // namespace gpubench
