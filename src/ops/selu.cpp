#include <ATen/ops/selu.h>

#include "ops/entries.h"
#include "ops/parts.h"

namespace gpubench {
namespace {

constexpr double kAlpha = 1.6732632423543772;
constexpr double kScale = 1.0507009873554805;

double flop(const OpCase& c) { return 4 * count_of(c, 0); }

at::Tensor call(const Tensors& inputs, const OpCase&) { return at::selu(inputs[0]); }

double error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  const at::Tensor& x = inputs[0];
  return distance(kScale * (x.clamp_min(0) + kAlpha * (x.clamp_max(0).exp() - 1)), result);
}

}  // namespace

OpEntry entry_selu() {
  return activation("selu", "scaled exponential linear unit (Klambauer et al. 2017)", call, error, flop);
}

}  // namespace gpubench
