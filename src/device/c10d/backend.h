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

struct BackendRequest {
  c10::intrusive_ptr<c10d::Store> store;  ///< Shared by the ranks of this group alone.
  int rank = 0;
  int ranks = 1;
  std::string address;  ///< Of this machine, on the way to the others.
  std::chrono::milliseconds timeout{};
};

/// Returns "nccl" for CUDA, "gloo" for the CPU, and nothing for a device that LibTorch has no backend for.
std::string backend_name(c10::Device device);

/// Waits for all ranks. Throws a device Error without a backend for `device`, and what LibTorch throws.
c10::intrusive_ptr<c10d::Backend> make_backend(c10::Device device, const BackendRequest& request);

}  // namespace gpubench
