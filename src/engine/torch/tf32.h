#pragma once
// LibTorch's TF32 switches. Uses the older API, which must not be mixed with the newer one.

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>

namespace gpubench {

/// Allows or disables TF32 for fp32 matrix products and convolutions during its lifetime.
class Tf32Setting {
 public:
  explicit Tf32Setting(bool is_allowed) { set(is_allowed, is_allowed); }
  ~Tf32Setting() { set(products_, convolutions_); }
  Tf32Setting(const Tf32Setting&) = delete;
  Tf32Setting& operator=(const Tf32Setting&) = delete;

 private:
  static void set(bool products, bool convolutions) {
    at::globalContext().setAllowTF32CuBLAS(products);
    at::globalContext().setAllowTF32CuDNN(convolutions);
  }

  const bool products_ = at::globalContext().allowTF32CuBLAS();
  const bool convolutions_ = at::globalContext().allowTF32CuDNN();
};

/// Returns true if TF32 changes the result of a matrix product on the device.
inline bool has_tf32(c10::Device device) {
  constexpr std::int64_t kSize = 512;
  const at::Tensor a = at::randn({kSize, kSize}, at::TensorOptions(device));
  const auto square = [&](bool is_tf32) {
    const Tf32Setting setting(is_tf32);
    return at::mm(a, a);
  };
  return !at::equal(square(false), square(true));
}

}  // namespace gpubench
