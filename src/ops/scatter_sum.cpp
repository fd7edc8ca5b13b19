#include <ATen/ops/index_add.h>

#include "ops/entries.h"
#include "ops/parts.h"

namespace gpubench {
namespace {

at::Tensor call(const Tensors& inputs, const OpCase&) {
  return at::index_add(inputs[0], 0, inputs[1], inputs[2]);
}

/// Row by row.
double error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  const at::Tensor expected = inputs[0].clone();
  const Tensors added = rows_by_index(inputs[2], inputs[1], expected.size(0));
  for (std::size_t row = 0; row < added.size(); ++row) {
    expected[static_cast<std::int64_t>(row)] += added[row].sum(0);
  }
  return distance(expected, result);
}

double terms(const OpCase& c) {
  return 1 + static_cast<double>(c.tensors[1][0]) / static_cast<double>(c.tensors[0][0]);
}

}  // namespace

OpEntry entry_scatter_sum() {
  OpEntry entry = by_index("scatter_sum", "rows added to a matrix at random indices", {64, 16}, call, error);
  entry.flop = one_flop_each_put;
  entry.terms = terms;
  entry.sums = Sums::kInOwnType;
  return entry;
}

}  // namespace gpubench
