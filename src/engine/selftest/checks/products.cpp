#include <array>

#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <fmt/format.h>

#include "engine/selftest/checks/entries.h"
#include "engine/torch/failure.h"
#include "engine/torch/tf32.h"

namespace gpubench {
namespace {

constexpr std::int64_t kSize = 256;

/// A type and the rounding that its products show: relative differences from fp64 of matrices of normally
/// distributed numbers, whose inputs are rounded to the type first.
struct Expected {
  const char* name;
  at::ScalarType type;
  bool allows_tf32;
  double least;  ///< Less would be another type's.
  double most;
};
constexpr std::array<Expected, 5> kExpected{{{"fp32", at::kFloat, false, 1e-9, 5e-6},
                                             {"tf32", at::kFloat, true, 5e-5, 5e-3},
                                             {"bf16", at::kBFloat16, false, 3e-4, 2e-2},
                                             {"fp16", at::kHalf, false, 3e-5, 3e-3},
                                             {"fp64", at::kDouble, false, 0, 1e-12}}};

CheckRow check(Subject& subject, const Expected& expected, const at::Tensor& a, const at::Tensor& b) {
  const c10::Device place(subject.device.name());
  if (expected.allows_tf32 && !has_tf32(place)) {
    return unchecked(expected.name, "TF32 changes no product on this device");
  }
  const at::Tensor exact = at::mm(a.to(expected.type).to(at::kDouble), b.to(expected.type).to(at::kDouble));
  at::Tensor found;
  try {
    found = subject.product(a.to(place, expected.type), b.to(place, expected.type), expected.allows_tf32);
  } catch (const std::exception& error) {
    return unchecked(expected.name, classify(error).message);
  }
  const double difference =
      found.to(at::kCPU).to(at::kDouble).sub(exact).norm().item<double>() / exact.norm().item<double>();
  const auto text = fmt::format("{:.1e} off fp64; {:.0e} to {:.0e} is what the type rounds to", difference,
                                expected.least, expected.most);
  if (difference < expected.least) return failed(expected.name, text);
  return compared(expected.name, difference, expected.most, text);
}

CheckRows run(Subject& subject) {
  at::manual_seed(1);
  const auto matrix = [] { return at::randn({kSize, kSize}, at::kDouble).to(at::kFloat); };
  const at::Tensor a = matrix();
  const at::Tensor b = matrix();
  CheckRows rows;
  for (const Expected& expected : kExpected) rows.push_back(check(subject, expected, a, b));
  return rows;
}

}  // namespace

CheckEntry check_products() {
  return {"products", "matrix products have the precision that they are said to have", run};
}

}  // namespace gpubench
