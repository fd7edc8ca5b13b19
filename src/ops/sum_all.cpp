#include <ATen/ops/ones.h>
#include <ATen/ops/sum.h>

#include <cmath>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench::sum_all_plugin {
namespace {

at::Tensor call(const Tensors& inputs, const OpCase&) { return at::sum(inputs[0]); }

/// A product with ones. The sum itself may be near 0 by chance, so that what it is usually like is the scale.
double error(const Tensors& inputs, const at::Tensor& result, const OpCase&) {
  const at::Tensor flat = inputs[0].flatten();
  const double usual = std::sqrt(static_cast<double>(flat.numel()));
  return distance(flat.dot(at::ones({flat.numel()}, flat.options())), result, usual);
}

}  // namespace

OpEntry entry_sum_all() {
  return operation("sum_all", "sum of all values", "any tensor",
                   "64x128x128x128, 1000000, 1000000x128, 128x1000000", "100000, 1000x128", one_normal, call,
                   error, count_values, count_values);
}

}  // namespace gpubench::sum_all_plugin
