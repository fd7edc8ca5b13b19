#include "engine/selftest/subject.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include <ATen/ops/full.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>

#include "device/host/host_process.h"
#include "engine/timing/timing.h"
#include "engine/torch/tf32.h"
#include "engine/training/runner.h"
#include "torch_blocks.h"

namespace gpubench {
namespace {

constexpr Seconds kUnit{0.01};
constexpr Patience kShort{Seconds{0.005}, Seconds{0.5}, 3};

/// Products of random matrices; as many make a unit as take about kUnit.
KnownWork products_on(Device& device, const Clock& clock) {
  const c10::Device place(device.name());
  const std::int64_t size = place.is_cpu() ? 256 : 2048;
  const auto matrix = [&] { return at::randn({size, size}, at::TensorOptions(place)); };
  at::Tensor product = matrix();
  auto multiply = [a = matrix(), b = matrix(), product]() mutable { at::mm_out(product, a, b); };
  const Seconds call = best_call_time(device, clock, kShort, multiply);
  const auto calls = std::max<std::int64_t>(1, std::llround(kUnit.value / call.value));
  return {[=](std::int64_t units) mutable {
            for (std::int64_t i = 0; i < units * calls; ++i) multiply();
          },
          [=] { product[0][0].item<float>(); }};
}

std::shared_ptr<void> allocate_on(c10::Device place, Bytes size) {
  const auto count = size.value / static_cast<std::int64_t>(sizeof(float));
  return std::make_shared<at::Tensor>(at::full({count}, 1.0, at::TensorOptions(place)));
}

}  // namespace

Subject real_subject(Device& device, const Clock& clock, const SelftestMeans& means) {
  const c10::Device place(device.name());
  return {
      .device = device,
      .clock = clock,
      .means = means,
      .models = models(),
      .wait = [](Seconds time) { std::this_thread::sleep_for(std::chrono::duration<double>(time.value)); },
      .run_case =
          [&clock](const Case& c, const Dataset& dataset, Device& on) {
            CaseMonitor nobody;
            return run_case(c, dataset, on, clock, nobody);
          },
      .run_pilot = [&clock](const Case& c, const Dataset& dataset,
                            Device& on) { return run_pilot(c, dataset, on, clock, Seconds{0}); },
      .product =
          [](const at::Tensor& a, const at::Tensor& b, bool allows_tf32) {
            const Tf32Setting setting(allows_tf32);
            return at::mm(a, b);
          },
      .dropout =
          [](const at::Tensor& values, double probability) {
            return gpubench::dropout(values, probability, /*is_training=*/true);
          },
      .noise = [place](std::int64_t count) { return at::randn({count}, at::TensorOptions(place)); },
      .make_work = [&] { return products_on(device, clock); },
      .allocate = [place](Bytes size) { return allocate_on(place, size); },
      .resident = current_resident,
      .measure_roof =
          [&] { return measure_peak(device, clock, PeakEffort::kTrial, [](const PeakPoint&) {}).device; }};
}

}  // namespace gpubench
