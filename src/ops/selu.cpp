#include <ATen/ops/selu.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::selu_plugin {

OpEntry entry_selu() {
  constexpr double kAlpha = 1.6732632423543772;
  constexpr double kScale = 1.0507009873554805;
  return activation("selu", "scaled exponential linear unit (Klambauer et al. 2017)", 4, at::selu,
                    [](const at::Tensor& x) -> at::Tensor {
                      return kScale * (x.clamp_min(0) + kAlpha * (x.clamp_max(0).exp() - 1));
                    });
}

}  // namespace gpubench::selu_plugin
