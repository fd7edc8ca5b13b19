#include <ATen/ops/prelu.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::prelu_plugin {
namespace {

Tensors inputs(const OpCase& c, const Random& random) {
  require_sizes(c.tensors.size() == 2 && c.tensors[1] == Sizes{1}, c,
                "a tensor and 1, the number of slopes,");
  return all_normal(c, random);
}

at::Tensor call(const Tensors& inputs, const OpCase&) { return at::prelu(inputs[0], inputs[1]); }

double error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  return distance(inputs[0].clamp_min(0) + inputs[1] * inputs[0].clamp_max(0), result);
}

}  // namespace

OpEntry entry_prelu() {
  return operation("prelu", "x, or a learned slope times x below 0", "any tensor, 1",
                   "128x16x1024 1, 64x128x1024 1", "16x16x1024 1", inputs, call, error, count_values);
}

}  // namespace gpubench::prelu_plugin
