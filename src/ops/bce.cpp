#include <ATen/ops/binary_cross_entropy.h>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::bce_plugin {
namespace {

Tensors inputs(const OpCase& c, const Random& random) {
  require_sizes(c.tensors.size() == 2 && c.tensors[0] == c.tensors[1], c, "two tensors of the same sizes");
  return {probabilities(c.tensors[0], random), probabilities(c.tensors[1], random)};
}

at::Tensor call(const Tensors& inputs, const OpCase&) {
  return at::binary_cross_entropy(inputs[0], inputs[1]);
}

double error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  const at::Tensor& p = inputs[0];
  const at::Tensor& target = inputs[1];
  return distance(-(target * p.log() + (1 - target) * (1 - p).log()).mean(), result);
}

/// Two logarithms, counted as one operation each, two products, three sums.
double flop(const OpCase& c) { return 7 * get_count(c, 0); }

}  // namespace

OpEntry entry_bce() {
  return operation("bce", "mean binary cross-entropy of probabilities", "two tensors of the same sizes",
                   "1000000 1000000, 100000x32 100000x32, 100000x64x2 100000x64x2, 128x100000 128x100000",
                   "100000 100000, 1000x32 1000x32", inputs, call, error, flop, count_values);
}

}  // namespace gpubench::bce_plugin
