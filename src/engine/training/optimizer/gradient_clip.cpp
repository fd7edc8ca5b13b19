#include "engine/training/optimizer/gradient_clip.h"

#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>

namespace gpubench {
namespace {

// Keeps the factor finite where all gradients are zero; the value of torch.nn.utils.clip_grad_norm_.
constexpr double kNormEpsilon = 1e-6;

}  // namespace

void clip_gradients(std::vector<at::Tensor>& gradients, double largest_norm) {
  const at::Tensor norm =
      at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, /*ord=*/2)), /*ord=*/2);
  // A factor of 1 costs a multiplication; to leave it out, the host would have to know the norm.
  at::_foreach_mul_(gradients, norm.add(kNormEpsilon).reciprocal_().mul_(largest_norm).clamp_max_(1));
}

}  // namespace gpubench
