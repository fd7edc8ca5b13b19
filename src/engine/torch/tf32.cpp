#include "engine/torch/tf32.h"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>

namespace gpubench {

Tf32Setting::Tf32Setting(bool is_allowed)
    : products_(at::globalContext().allowTF32CuBLAS()), convolutions_(at::globalContext().allowTF32CuDNN()) {
  at::globalContext().setAllowTF32CuBLAS(is_allowed);
  at::globalContext().setAllowTF32CuDNN(is_allowed);
}

Tf32Setting::~Tf32Setting() {
  at::globalContext().setAllowTF32CuBLAS(products_);
  at::globalContext().setAllowTF32CuDNN(convolutions_);
}

bool has_tf32(c10::Device device) {
  constexpr std::int64_t kSize = 512;
  const at::Tensor a = at::randn({kSize, kSize}, at::TensorOptions(device));
  const auto square = [&](bool is_tf32) {
    const Tf32Setting setting(is_tf32);
    return at::mm(a, a);
  };
  return !at::equal(square(false), square(true));
}

}  // namespace gpubench
