#include "engine/training/agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/randn_like.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <fmt/format.h>

namespace gpubench {
namespace {

constexpr double kTimesRounding = 3;  // One drawing of rounding may be smaller than another.

double compute_length(const at::Tensor& tensor) {
  return at::linalg_vector_norm(tensor, /*ord=*/2, /*dim=*/{}, /*keepdim=*/false, at::kDouble).item<double>();
}

double compute_length(const TrainingResult& result) {
  double length = 0;
  for (const auto& tensor : result.tensors) length = std::hypot(length, compute_length(tensor.values));
  return length;
}

std::string losses_apart(const TrainingResult& plain, const TrainingResult& perturbed,
                         const TrainingResult& other, double tolerance) {
  for (std::size_t i = 0; i < plain.losses.size(); ++i) {
    const double one = plain.losses[i];
    const double another = other.losses[i];
    const double most = std::max(tolerance * std::max(std::abs(one), std::abs(another)),
                                 kTimesRounding * std::abs(one - perturbed.losses[i]));
    if (std::isfinite(one) == std::isfinite(another) && !(std::abs(one - another) > most)) continue;
    return fmt::format("loss {} of the trial is {:.5g} and {:.5g}", i + 1, one, another);
  }
  return {};
}

std::string tensors_apart(const TrainingResult& plain, const TrainingResult& perturbed,
                          const TrainingResult& other, double tolerance) {
  constexpr double kShortLength = 0.01;  // Of the length of all tensors together.
  constexpr double kTiny = std::numeric_limits<double>::min();
  const double whole = compute_length(plain);
  if (!std::isfinite(whole) && !std::isfinite(compute_length(other))) return {};
  for (std::size_t i = 0; i < plain.tensors.size(); ++i) {
    const at::Tensor& values = plain.tensors[i].values;
    const double length = std::max({compute_length(values), kShortLength * whole, kTiny});
    const auto share = [&](const TrainingResult& result) {
      return compute_length(values.sub(result.tensors[i].values)) / length;
    };
    const double apart = share(other);
    if (apart <= std::max(tolerance, kTimesRounding * share(perturbed))) continue;
    return fmt::format("{} is {:.3g} of its length apart", plain.tensors[i].name, apart);
  }
  return {};
}

double find_rounding(Precision precision) {
  switch (precision) {
    case Precision::kFp32:
      return std::numeric_limits<float>::epsilon();
    case Precision::kBf16:
    case Precision::kAmpBf16:
      return std::numeric_limits<c10::BFloat16>::epsilon();
    default:  // TF32 has the digits of fp16.
      return std::numeric_limits<c10::Half>::epsilon();
  }
}

}  // namespace

Tolerance find_tolerance(Precision precision) {
  return precision == Precision::kFp32 ? Tolerance{.loss = 0.01, .tensor = 0.2}
                                       : Tolerance{.loss = 0.1, .tensor = 0.7};
}

at::Tensor host_copy(const at::Tensor& tensor) {
  if (!tensor.defined()) return at::empty({0});
  return tensor.detach().to(at::kCPU, at::kFloat, /*non_blocking=*/false, /*copy=*/true,
                            at::MemoryFormat::Contiguous);
}

void perturb(const std::vector<at::Tensor>& parameters, Precision precision) {
  const at::NoGradGuard no_grad;
  for (const at::Tensor& parameter : parameters) {
    const at::Tensor values = parameter.to(at::kFloat);
    parameter.copy_(values.addcmul(values, at::randn_like(values), find_rounding(precision)));
  }
}

std::string disagreement(const TrainingResult& plain, const TrainingResult& perturbed,
                         const TrainingResult& other, Tolerance tolerance) {
  const std::string losses = losses_apart(plain, perturbed, other, tolerance.loss);
  return losses.empty() ? tensors_apart(plain, perturbed, other, tolerance.tensor) : losses;
}

}  // namespace gpubench
