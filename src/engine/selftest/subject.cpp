#include "engine/selftest/subject.h"

#include <algorithm>
#include <cmath>

#include <ATen/ops/full.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>

#include "engine/api/case_monitor.h"
#include "engine/api/peak.h"
#include "engine/timing/timing.h"
#include "engine/torch/tf32.h"
#include "engine/training/runner.h"

namespace gpubench {

CaseRecord Subject::run_case(const Case& c, const Dataset& dataset) {
  CaseMonitor nobody;
  return gpubench::run_case(c, dataset, device, clock, nobody);
}

at::Tensor Subject::product(const at::Tensor& a, const at::Tensor& b, bool allows_tf32) {
  const Tf32Setting setting(allows_tf32);
  return at::mm(a, b);
}

/// Queues products of random matrices.
KnownWork Subject::make_work() {
  constexpr Seconds kUnit{0.01};
  constexpr SamplingPolicy kShort{Seconds{0.005}, Seconds{0.5}, 3};
  const std::int64_t size = place().is_cpu() ? 256 : 2048;
  const auto matrix = [&] { return at::randn({size, size}, at::TensorOptions(place())); };
  at::Tensor product = matrix();
  auto multiply = [a = matrix(), b = matrix(), product]() mutable { at::mm_out(product, a, b); };
  const Seconds call = best_call_time(device, clock, kShort, multiply);
  const auto calls = std::max<std::int64_t>(1, std::llround(kUnit.value / call.value));
  return {[=](std::int64_t units) mutable {
            for (std::int64_t i = 0; i < units * calls; ++i) multiply();
          },
          [=] { product[0][0].item<float>(); }};
}

std::shared_ptr<void> Subject::allocate(Bytes size) {
  const auto count = size.value / static_cast<std::int64_t>(sizeof(float));
  return std::make_shared<at::Tensor>(at::full({count}, 1.0, at::TensorOptions(place())));
}

DeviceRecord Subject::measure_roof() {
  return measure_peak(device, clock, PeakEffort::kTrial, [](const PeakPoint&) {}).device;
}

}  // namespace gpubench
