#include <ATen/ops/sigmoid.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::sigmoid_plugin {

OpEntry entry_sigmoid() {
  return activation("sigmoid", "1 / (1 + exp(-x))", 4, at::sigmoid,
                    [](const at::Tensor& x) { return 1 / (1 + (-x).exp()); });
}

}  // namespace gpubench::sigmoid_plugin
