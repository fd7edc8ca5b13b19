#include <ATen/ops/ones.h>
#include <ATen/ops/sum.h>

#include <cmath>

#include "gpubench/op.h"
#include "ops/parts.h"

namespace gpubench {
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
  return {"sum_all",
          "sum of all values",
          "any tensor",
          {{{{64, 128, 128, 128}}}, {{{1000000}}}, {{{1000000, 128}}}, {{{128, 1000000}}}},
          {{{{100000}}}, {{{1000, 128}}}},
          one_normal,
          call,
          error,
          one_flop_each,
          [](const OpCase& c) { return get_count(c, 0); }};
}

}  // namespace gpubench
