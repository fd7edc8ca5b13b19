#include <ATen/ops/prelu.h>

#include "ops/entries.h"
#include "ops/parts.h"

namespace gpubench {
namespace {

const char* const kExpected = "a tensor and 1, the number of slopes,";

Tensors inputs(const OpCase& c, const Random& random) {
  require_sizes(c.tensors.size() == 2 && c.tensors[1] == std::vector<std::int64_t>{1}, c, kExpected);
  return {normal(c.tensors[0], random), normal(c.tensors[1], random)};
}

at::Tensor call(const Tensors& inputs, const OpCase&) { return at::prelu(inputs[0], inputs[1]); }

double error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  return distance(inputs[0].clamp_min(0) + inputs[1] * inputs[0].clamp_max(0), result);
}

OpCase with_slope(OpCase c) {
  c.tensors.push_back({1});
  return c;
}

std::vector<OpCase> with_slopes(std::vector<OpCase> cases) {
  for (OpCase& c : cases) c = with_slope(std::move(c));
  return cases;
}

}  // namespace

OpEntry entry_prelu() {
  return {"prelu",
          "x, or a learned slope times x below 0",
          "any tensor, 1",
          with_slopes(activation_cases()),
          with_slopes(small_activation_cases()),
          inputs,
          call,
          error,
          one_flop_each,
          one_term};
}

}  // namespace gpubench
