#pragma once
// LibTorch's switches for TF32: the older ones, since the two kinds do not mix.

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>

namespace gpubench {

/// Allows or forbids TF32 in products and convolutions of fp32 while it lives.
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

/// Returns whether TF32 changes any bit of a matrix product on the device.
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
