#include <ATen/ops/index_add.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::scatter_sum_plugin {
namespace {

at::Tensor call(const Tensors& inputs, const OpCase&) {
  return at::index_add(inputs[0], 0, inputs[1], inputs[2]);
}

double error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  return distance(merged_by_index(inputs, [](const at::Tensor& rows) { return rows.sum(0); }), result);
}

double terms(const OpCase& c) {
  return 1 + static_cast<double>(c.tensors[1][0]) / static_cast<double>(c.tensors[0][0]);
}

}  // namespace

OpEntry entry_scatter_sum() {
  OpEntry entry = by_index("scatter_sum", "rows added to a matrix at random indices", "64x16", call, error);
  entry.flop = count_values_put;
  entry.terms = terms;
  entry.sums = Sums::kInOwnType;
  return entry;
}

}  // namespace gpubench::scatter_sum_plugin
