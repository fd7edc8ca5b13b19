#include <ATen/ops/scatter_reduce.h>

#include "ops/entries.h"
#include "ops/parts.h"

namespace gpubench {
namespace {

at::Tensor call(const Tensors& inputs, const OpCase&) {
  return inputs[0].scatter_reduce(0, inputs[1].unsqueeze(1).expand_as(inputs[2]), inputs[2], "amax");
}

/// Row by row.
double error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  const at::Tensor expected = inputs[0].clone();
  const Tensors offered = rows_by_index(inputs[2], inputs[1], expected.size(0));
  for (std::size_t i = 0; i < offered.size(); ++i) {
    if (offered[i].size(0) == 0) continue;
    const at::Tensor row = expected[static_cast<std::int64_t>(i)];
    row.copy_(row.maximum(offered[i].amax(0)));
  }
  return distance(expected, result);
}

}  // namespace

OpEntry entry_scatter_max() {
  OpEntry entry = by_index("scatter_max", "the largest of rows and those put there at random indices",
                           {64, 16}, call, error);
  entry.flop = one_flop_each_put;
  return entry;
}

}  // namespace gpubench
