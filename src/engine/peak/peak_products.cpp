#include <array>
#include <cmath>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>

#include "engine/peak/peak_probe.h"
#include "engine/torch/failure.h"
#include "engine/torch/tf32.h"

namespace gpubench {
namespace {

struct ProductPrecision {
  const char* name;
  at::ScalarType type;
  bool uses_tf32 = false;
  bool is_in_trial = true;
  bool is_reference = false;  ///< A trial measures it however slow it is.
};

constexpr std::array<ProductPrecision, 5> kPrecisions{{{"fp32", at::kFloat, false, true, true},
                                                       {"tf32", at::kFloat, true},
                                                       {"bf16", at::kBFloat16},
                                                       {"fp16", at::kHalf},
                                                       {"fp64", at::kDouble, false, false}}};

/// Random numbers: products of zeros draw less power, and so run faster.
at::Tensor random_matrix(std::int64_t size, const std::string& device) {
  return at::randn({size, size}, at::TensorOptions(c10::Device(device)));
}

double flop_of(std::int64_t size) { return 2 * std::pow(static_cast<double>(size), 3); }

class Product {
 public:
  Product(const std::string& device, at::ScalarType type, std::int64_t size)
      : a_(random_matrix(size, device).to(type)),
        b_(random_matrix(size, device).to(type)),
        product_(at::empty_like(a_)) {}

  void make() { at::mm_out(product_, a_, b_); }

 private:
  at::Tensor a_;
  at::Tensor b_;
  at::Tensor product_;
};

double flops_per_second(const PeakProbe& probe, at::ScalarType type, std::int64_t size) {
  Product product(probe.device().name(), type, size);
  return flop_of(size) / probe.time([&] { product.make(); }).value;
}

/// The smallest size of a trial decides whether there will be a larger one; fp32 must not depend on that,
/// since other figures are held against it.
std::vector<std::int64_t> sizes_for(const PeakProbe& probe, const ProductPrecision& precision) {
  if (!probe.is_trial()) return {256, 512, 1024, 2048, 4096, 8192, 16384};
  if (!c10::Device(probe.device().name()).is_cpu()) return {1024, 4096, 8192};
  if (precision.is_reference) return {1024, 2048};
  return {256, 1024, 2048};
}

/// Three matrices, and one that is being converted.
bool fits(const PeakProbe& probe, const ProductPrecision& precision, std::int64_t size) {
  const auto element = static_cast<std::int64_t>(c10::elementSize(precision.type) + sizeof(float));
  return 3 * size * size * element <= probe.memory().value;
}

bool is_worth_its_time(const PeakProbe& probe, std::int64_t size, double flops_per_second) {
  return flop_of(size) <= flops_per_second * probe.longest_call().value;
}

/// From the smallest size on, as long as the next one is expected to be worth its time.
void measure_precision(PeakProbe& probe, const ProductPrecision& precision) {
  const Tf32Setting setting(precision.uses_tf32);
  Reading<double> rate;
  for (const std::int64_t size : sizes_for(probe, precision)) {
    const bool is_first = !rate.has_value();
    if (!is_first && !is_worth_its_time(probe, size, rate.value())) return;
    if (!is_first && !fits(probe, precision, size)) return;
    rate = probe.add(PeakKind::kGemm, precision.name, size,
                     [&] { return flops_per_second(probe, precision.type, size); });
    if (!rate.has_value()) return;
  }
}

/// Whether even small products take long, as those of emulated types do: by a single one.
bool is_slow(const PeakProbe& probe, const ProductPrecision& precision) {
  constexpr std::int64_t kSize = 128;
  Product product(probe.device().name(), precision.type, kSize);
  const Seconds time = probe.time_once([&] { product.make(); });
  return !is_worth_its_time(probe, sizes_for(probe, precision).front(), flop_of(kSize) / time.value);
}

/// Why there is nothing to measure; empty where there is.
std::string why_not(const PeakProbe& probe, const ProductPrecision& precision) {
  try {
    if (precision.uses_tf32 && !has_tf32(c10::Device(probe.device().name())))
      return "TF32 changes no product on this device";
    if (probe.is_trial() && !precision.is_reference && is_slow(probe, precision))
      return "too slow for a trial; 'gpubench peak' measures it";
    return {};
  } catch (const std::exception& error) {
    return classify(error).message;
  }
}

}  // namespace

void measure_products(PeakProbe& probe) {
  for (const ProductPrecision& precision : kPrecisions) {
    if (probe.is_trial() && !precision.is_in_trial) continue;
    const std::string reason = why_not(probe, precision);
    if (reason.empty())
      measure_precision(probe, precision);
    else
      probe.add_absent(PeakKind::kGemm, precision.name, reason);
  }
}

}  // namespace gpubench
