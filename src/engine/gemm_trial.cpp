#include <algorithm>

#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>

#include "gpubench/engine/runner.h"
#include "gpubench/engine/window.h"

namespace gpubench {

double gemm_flops_per_second(Device& device, const Clock& clock) {
  const c10::Device place(device.name());
  const std::int64_t size = place.is_cpu() ? 1024 : 4096;
  const at::Tensor a = at::randn({size, size}, at::TensorOptions(place));
  const at::Tensor b = at::randn({size, size}, at::TensorOptions(place));
  double fastest = 0;
  constexpr int kTries = 5;  // The first one also loads kernels.
  for (int i = 0; i < kTries; ++i) {
    TimedWindow window(device, clock);
    const at::Tensor product = at::mm(a, b);
    const Seconds duration = window.close();
    const double flop = 2.0 * static_cast<double>(size * size * size);
    if (duration.value > 0) fastest = std::max(fastest, flop / duration.value);
  }
  return fastest;
}

}  // namespace gpubench
