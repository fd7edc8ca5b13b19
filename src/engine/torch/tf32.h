#pragma once
// LibTorch's switches for TF32: the older ones, since the two kinds do not mix.

#include <c10/core/Device.h>

namespace gpubench {

/// Allows or forbids TF32 in products and convolutions of fp32 while it lives.
class Tf32Setting {
 public:
  explicit Tf32Setting(bool is_allowed);
  ~Tf32Setting();
  Tf32Setting(const Tf32Setting&) = delete;
  Tf32Setting& operator=(const Tf32Setting&) = delete;

 private:
  bool products_;
  bool convolutions_;
};

/// Returns whether TF32 changes any bit of a matrix product on the device.
bool has_tf32(c10::Device device);

}  // namespace gpubench
