#include <ATen/ops/prelu.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench {
namespace {

const char* const kExpected = "a tensor and 1, the number of slopes,";

Tensors inputs(const OpCase& c, const Random& random) {
  require_sizes(c.tensors.size() == 2 && c.tensors[1] == Sizes{1}, c, kExpected);
  return {normal(c.tensors[0], random), normal(c.tensors[1], random)};
}

at::Tensor call(const Tensors& inputs, const OpCase&) { return at::prelu(inputs[0], inputs[1]); }

double error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  return distance(inputs[0].clamp_min(0) + inputs[1] * inputs[0].clamp_max(0), result);
}

}  // namespace

OpEntry entry_prelu() {
  return {"prelu",
          "x, or a learned slope times x below 0",
          "any tensor, 1",
          {{{{128, 16, 1024}, {1}}}, {{{64, 128, 1024}, {1}}}},
          {{{{16, 16, 1024}, {1}}}},
          inputs,
          call,
          error,
          one_flop_each};
}

}  // namespace gpubench
