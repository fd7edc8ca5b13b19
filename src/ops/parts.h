#pragma once
// What operations share: random inputs and comparing results.

#include <ATen/TensorOperators.h>

#include "gpubench/op.h"

namespace gpubench {

/// Of a tensor.
using Sizes = std::vector<std::int64_t>;

// Inputs, as OpEntry::inputs describes them.
/// Normally distributed numbers.
at::Tensor normal(const Sizes& sizes, const Random& random);
/// Between 0 and 1, away from both.
at::Tensor probabilities(const Sizes& sizes, const Random& random);
/// `count` whole numbers from 0 to `below` - 1.
at::Tensor indices(std::int64_t count, std::int64_t below, const Random& random);

/// The sizes of the row's tensors, which must be of these ranks. Throws a usage Error with `expected`.
const std::vector<Sizes>& require_ranks(const OpCase& c, const std::vector<std::size_t>& ranks,
                                        const std::string& expected);
/// Throws a usage Error with `expected` unless `is_true`.
void require_sizes(bool is_true, const OpCase& c, const std::string& expected);
/// The row's axis, counted from the front, which must be one of its first tensor's. Throws a usage Error.
std::int64_t require_axis(const OpCase& c);

/// The largest difference, relative to the largest value of `expected` (or to `least_scale` where that is
/// smaller). Infinite where shapes differ or a value is not finite. `result` may be of any type; large ones
/// are compared in parts, to take little memory.
double distance(const at::Tensor& expected, const at::Tensor& result, double least_scale = 1);

/// One operation for each value of the first tensor.
double one_flop_each(const OpCase& c);

/// Number of values along the row's axis.
double length_of_axis(const OpCase& c);

/// One normal tensor of any rank.
Tensors one_normal(const OpCase& c, const Random& random);
/// The same for a row that has an axis.
Tensors one_normal_with_axis(const OpCase& c, const Random& random);
/// A function of each value by itself, of so many operations, on the published rows of the activation
/// functions. `right` computes it another way.
OpEntry activation(const char* name, const char* summary, double flop_each,
                   at::Tensor (*function)(const at::Tensor&), at::Tensor (*right)(const at::Tensor&));

/// What works on rows by their indices, on its published rows: of `first`, RxC, then of 1024x32. Its inputs
/// are a matrix, where in it each of so many rows goes, and these rows.
OpEntry by_index(const char* name, const char* summary, const Sizes& first, decltype(OpEntry::call) call,
                 decltype(OpEntry::error) error);

/// The matrix of by_index() after `merge` made one row of each of its rows and those put there.
at::Tensor merged_by_index(const Tensors& inputs, at::Tensor (*merge)(const at::Tensor& rows));

/// One operation for each value of the rows that by_index() puts into the matrix.
double one_flop_each_put(const OpCase& c);

}  // namespace gpubench
