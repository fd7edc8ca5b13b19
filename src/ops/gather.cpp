#include <ATen/ops/index.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::gather_plugin {
namespace {

Tensors inputs(const OpCase& c, const Random& random) {
  require_ranks(c, {2, 1}, "rows RxC and the number of rows to take");
  return {normal(c.tensors[0], random), indices(c.tensors[1][0], c.tensors[0][0], random)};
}

at::Tensor call(const Tensors& inputs, const OpCase&) { return at::index(inputs[0], {inputs[1]}); }

double error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  return distance(inputs[0].index_select(0, inputs[1]), result);
}

}  // namespace

OpEntry entry_gather() {
  OpEntry entry = by_index("gather", "rows of a matrix by random indices", "64x256", call, error);
  entry.inputs = inputs;
  return entry;
}

}  // namespace gpubench::gather_plugin
