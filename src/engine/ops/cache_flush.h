#pragma once
// Fills the caches of a device with data that nobody wants.

#include <string>

#include <ATen/core/Tensor.h>

namespace gpubench {

/// Owns memory on the device that is larger than its caches.
class CacheFlush {
 public:
  explicit CacheFlush(const std::string& device);

  /// Queues the writing of all of it.
  void run();

 private:
  at::Tensor ballast_;
};

}  // namespace gpubench
