#pragma once
// Shared parts of operations: random inputs, and the comparison of results.

#include "gpubench/op.h"

namespace gpubench {

using Sizes = std::vector<std::int64_t>;

// Return inputs in host memory, or on the meta device if `random` is unset.

at::Tensor normal(const Sizes& sizes, const Random& random);
/// Returns probabilities between 0.01 and 0.99.
at::Tensor probabilities(const Sizes& sizes, const Random& random);
/// Returns `count` integers from 0 to `below` - 1.
at::Tensor indices(std::int64_t count, std::int64_t below, const Random& random);

/// Throws a usage Error with `expected` unless the row's tensors have these ranks.
void require_ranks(const OpCase& c, const std::vector<std::size_t>& ranks, const std::string& expected);
/// Throws a usage Error with `expected` unless `is_true`.
void require_sizes(bool is_true, const OpCase& c, const std::string& expected);
/// Returns the row's axis, counted from the front. Throws a usage Error unless the first tensor has it.
std::int64_t require_axis(const OpCase& c);

/// Returns the largest difference, relative to the larger of `least_scale` and the largest value of
/// `expected`. Infinite if shapes differ or a value is not finite. `result` may have any type. Compares large
/// tensors in parts to save memory.
double distance(const at::Tensor& expected, const at::Tensor& result, double least_scale = 1);

// Return normal tensors of the row's sizes. The latter two throw a usage Error unless the row has one tensor.
Tensors all_normal(const OpCase& c, const Random& random);
Tensors one_normal(const OpCase& c, const Random& random);
Tensors one_normal_with_axis(const OpCase& c, const Random& random);

double count_values(const OpCase& c);    ///< Values of the first tensor.
double length_of_axis(const OpCase& c);  ///< Length of the row's axis.

}  // namespace gpubench
