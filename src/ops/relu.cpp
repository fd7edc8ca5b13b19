#include <ATen/ops/relu.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::relu_plugin {

OpEntry entry_relu() {
  return activation("relu", "max(x, 0)", 1, at::relu, [](const at::Tensor& x) { return x.mul(x.gt(0)); });
}

}  // namespace gpubench::relu_plugin
