#include "device/c10d/backend.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "gpubench/core/error.h"

namespace gpubench {

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
