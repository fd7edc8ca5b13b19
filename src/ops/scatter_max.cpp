#include <ATen/ops/scatter_reduce.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::scatter_max_plugin {
namespace {

at::Tensor call(const Tensors& inputs, const OpCase&) {
  return inputs[0].scatter_reduce(0, inputs[1].unsqueeze(1).expand_as(inputs[2]), inputs[2], "amax");
}

double error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  return distance(merged_by_index(inputs, [](const at::Tensor& rows) { return rows.amax(0); }), result);
}

}  // namespace

OpEntry entry_scatter_max() {
  OpEntry entry = by_index("scatter_max", "the largest of rows and those put there at random indices",
                           "64x16", call, error);
  entry.flop = count_values_put;
  return entry;
}

}  // namespace gpubench::scatter_max_plugin
