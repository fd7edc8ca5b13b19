#include <ATen/ops/softplus.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::softplus_plugin {

OpEntry entry_softplus() {
  return activation(
      "softplus", "log(1 + exp(x))", 3, [](const at::Tensor& x) { return at::softplus(x); },
      [](const at::Tensor& x) { return x.clamp_min(0) + (-x.abs()).exp().add(1).log(); });
}

}  // namespace gpubench::softplus_plugin
