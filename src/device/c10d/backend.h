#pragma once
// Backends of LibTorch's c10d: what carries tensors between ranks.

#include <chrono>
#include <string>

#include <c10/core/Device.h>
#include <c10/util/intrusive_ptr.h>

namespace c10d {
class Backend;
class Store;
}  // namespace c10d

namespace gpubench {

/// What a backend is made with.
struct BackendRequest {
  c10::intrusive_ptr<c10d::Store> store;  ///< Shared by the ranks of this group alone.
  int rank = 0;
  int ranks = 1;
  std::string address;  ///< Of this machine, on the way to the others.
  std::chrono::milliseconds timeout{};
};

/// "nccl" for CUDA, "gloo" for the CPU; empty for a device between which LibTorch carries nothing.
std::string backend_name(c10::Device device);

/// The backend for tensors on `device`. Waits until all ranks have come. Throws a device Error where LibTorch
/// has none for it, and what LibTorch throws.
c10::intrusive_ptr<c10d::Backend> make_backend(c10::Device device, const BackendRequest& request);

// Each of them.
c10::intrusive_ptr<c10d::Backend> make_gloo(const BackendRequest& request);
c10::intrusive_ptr<c10d::Backend> make_nccl(const BackendRequest& request);

}  // namespace gpubench
