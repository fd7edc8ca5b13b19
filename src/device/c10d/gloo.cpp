#include <cstddef>
#include <memory>
#include <vector>

#include <torch/version.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "device/c10d/backend.h"

// What LibTorch exports and its headers hide where they were not built beside Gloo's: its class, declared
// again with the same names. Objects are made by the library's own constructors alone, and used through the
// virtual functions of Backend.
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
  std::byte room_[4096];  // More than the library's own class takes.
};

}  // namespace c10d

namespace gpubench {
namespace {

std::shared_ptr<gloo::transport::Device> device_at(const std::string& address) {
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 7
  return c10d::ProcessGroupGloo::createDeviceForHostname(address, /*is_lazy=*/false);
#else
  return c10d::ProcessGroupGloo::createDeviceForHostname(address);
#endif
}

}  // namespace

c10::intrusive_ptr<c10d::Backend> make_gloo(const BackendRequest& request) {
  auto options = c10::make_intrusive<c10d::ProcessGroupGloo::Options>(request.timeout);
  options->threads = 2;
  options->devices = {device_at(request.address)};
  return c10::make_intrusive<c10d::ProcessGroupGloo>(request.store, request.rank, request.ranks, options);
}

}  // namespace gpubench
