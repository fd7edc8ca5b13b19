#include "engine/training/agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <fmt/format.h>

namespace gpubench {
namespace {

/// Of the length of all tensors together.
constexpr double kShortLength = 0.01;
constexpr double kTiny = std::numeric_limits<double>::min();

double length_of(const at::Tensor& tensor) {
  return at::linalg_vector_norm(tensor, /*ord=*/2, /*dim=*/{}, /*keepdim=*/false, at::kDouble).item<double>();
}

double length_of(const TrainingResult& result) {
  double squares = 0;
  for (const auto& tensor : result.tensors) squares += std::pow(length_of(tensor.values), 2);
  return std::sqrt(squares);
}

std::string losses_apart(const TrainingResult& a, const TrainingResult& b, double tolerance) {
  for (std::size_t i = 0; i < a.losses.size(); ++i) {
    const double one = a.losses[i];
    const double other = b.losses[i];
    const double most = tolerance * std::max(std::abs(one), std::abs(other));
    if (std::isfinite(one) == std::isfinite(other) && !(std::abs(one - other) > most)) continue;
    return fmt::format("loss {} of the trial is {:.5g} and {:.5g}", i + 1, one, other);
  }
  return {};
}

std::string tensors_apart(const TrainingResult& a, const TrainingResult& b, double tolerance) {
  const double whole = length_of(a);
  if (!std::isfinite(whole) && !std::isfinite(length_of(b))) return {};
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    const at::Tensor& values = a.tensors[i].values;
    const double share = length_of(values.sub(b.tensors[i].values)) /
                         std::max({length_of(values), kShortLength * whole, kTiny});
    if (share <= tolerance) continue;
    return fmt::format("{} is {:.3g} of its length apart", a.tensors[i].name, share);
  }
  return {};
}

}  // namespace

Tolerance tolerance_of(Precision precision) {
  return precision == Precision::kFp32 ? Tolerance{.loss = 0.01, .tensor = 0.2}
                                       : Tolerance{.loss = 0.1, .tensor = 0.7};
}

at::Tensor host_copy(const at::Tensor& tensor) {
  if (!tensor.defined()) return at::empty({0});
  return tensor.detach().to(at::kCPU, at::kFloat, /*non_blocking=*/false, /*copy=*/true,
                            at::MemoryFormat::Contiguous);
}

std::string disagreement(const TrainingResult& a, const TrainingResult& b, Tolerance tolerance) {
  const std::string losses = losses_apart(a, b, tolerance.loss);
  return losses.empty() ? tensors_apart(a, b, tolerance.tensor) : losses;
}

}  // namespace gpubench
