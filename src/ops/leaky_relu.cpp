#include <ATen/ops/leaky_relu.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::leaky_relu_plugin {

OpEntry entry_leaky_relu() {
  return activation(
      "leaky_relu", "x, or 0.01 x below 0", 1, [](const at::Tensor& x) { return at::leaky_relu(x, 0.01); },
      [](const at::Tensor& x) { return x.maximum(0.01 * x); });
}

}  // namespace gpubench::leaky_relu_plugin
