// Reads and writes of matrix rows by index.

#include "ops/parts.h"

namespace gpubench::rows_plugin {
namespace {

/// Returns a matrix, N row indices, and N rows.
Tensors scatter_inputs(const OpCase& c, const Random& random) {
  require_ranks(c, {2, 1}, "a matrix RxC and the number of rows to write");
  const Sizes& matrix = c.tensors[0];
  const std::int64_t count = c.tensors[1][0];
  return {normal(matrix, random), indices(count, matrix[0], random), normal({count, matrix[1]}, random)};
}

/// Returns the matrix after `merge` reduced each row and the rows with its index to one row.
at::Tensor merged(const Tensors& inputs, at::Tensor (*merge)(const at::Tensor& rows)) {
  const std::int64_t places = inputs[0].size(0);
  const at::Tensor counts = inputs[1].bincount({}, places);
  const at::Tensor sorted = inputs[2].index_select(0, inputs[1].argsort());
  at::Tensor merged = inputs[0].clone();
  std::int64_t first = 0;
  for (std::int64_t place = 0; place < places; ++place) {
    const std::int64_t count = counts.const_data_ptr<std::int64_t>()[place];
    merged[place].copy_(merge(at::cat({inputs[0].narrow(0, place, 1), sorted.narrow(0, first, count)})));
    first += count;
  }
  return merged;
}

double count_written(const OpCase& c) { return static_cast<double>(c.tensors[1][0] * c.tensors[0][1]); }

/// Checks that each row is one of the rows written to it, or the old row if there are none.
double scatter_error(const Tensors& inputs, const at::Tensor& found, const OpCase&) {
  if (found.sizes() != inputs[0].sizes()) return distance(inputs[0], found);
  const at::Tensor result = found.to(at::kDouble);
  const at::Tensor places = inputs[1].unsqueeze(1).expand_as(inputs[2]);
  const at::Tensor is_written = inputs[2].eq(result.gather(0, places)).to(at::kDouble);
  const at::Tensor is_old = at::zeros_like(inputs[0]).index_fill(0, inputs[1], -1).add(1);
  const at::Tensor is_right =
      result.eq(inputs[0]).to(at::kDouble).mul(is_old).scatter_reduce(0, places, is_written, "amax");
  return 1 - is_right.min().item<double>();
}

}  // namespace

OpFunctions make_gather() {
  return {[](const OpCase& c, const Random& random) -> Tensors {
            require_ranks(c, {2, 1}, "a matrix RxC and the number of rows to read");
            return {normal(c.tensors[0], random), indices(c.tensors[1][0], c.tensors[0][0], random)};
          },
          [](const Tensors& inputs, const OpCase&) { return at::index(inputs[0], {inputs[1]}); },
          [](const Tensors& inputs, const at::Tensor& result, const OpCase&) {
            return distance(inputs[0].index_select(0, inputs[1]), result);
          }};
}

OpFunctions make_scatter() {
  return {
      scatter_inputs,
      [](const Tensors& inputs, const OpCase&) { return at::index_put(inputs[0], {inputs[1]}, inputs[2]); },
      scatter_error};
}

OpFunctions make_scatter_max() {
  return {scatter_inputs,
          [](const Tensors& inputs, const OpCase&) {
            return inputs[0].scatter_reduce(0, inputs[1].unsqueeze(1).expand_as(inputs[2]), inputs[2],
                                            "amax");
          },
          [](const Tensors& inputs, const at::Tensor& result, const OpCase&) {
            return distance(merged(inputs, [](const at::Tensor& rows) { return rows.amax(0); }), result);
          },
          count_written};
}

OpFunctions make_scatter_sum() {
  return {
      scatter_inputs,
      [](const Tensors& inputs, const OpCase&) { return at::index_add(inputs[0], 0, inputs[1], inputs[2]); },
      [](const Tensors& inputs, const at::Tensor& result, const OpCase&) {
        return distance(merged(inputs, [](const at::Tensor& rows) { return rows.sum(0); }), result);
      },
      count_written,
      [](const OpCase& c) {
        return 1 + static_cast<double>(c.tensors[1][0]) / static_cast<double>(c.tensors[0][0]);
      },
      Sums::kInOwnType};
}

}  // namespace gpubench::rows_plugin
