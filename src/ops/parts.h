#pragma once
// Shared parts of operations: random inputs, and the comparison of results.

#include "gpubench/op.h"

namespace gpubench {

using Sizes = std::vector<std::int64_t>;

// Random inputs, as OpEntry::inputs describes them.

at::Tensor normal(const Sizes& sizes, const Random& random);
/// Returns numbers between 0 and 1, away from both.
at::Tensor probabilities(const Sizes& sizes, const Random& random);
/// Returns `count` whole numbers from 0 to `below` - 1.
at::Tensor indices(std::int64_t count, std::int64_t below, const Random& random);

/// Throws a usage Error with `expected` unless the row's tensors have these ranks.
void require_ranks(const OpCase& c, const std::vector<std::size_t>& ranks, const std::string& expected);
/// Throws a usage Error with `expected` unless `is_true`.
void require_sizes(bool is_true, const OpCase& c, const std::string& expected);
/// Returns the row's axis, counted from the front. Throws a usage Error unless the first tensor has it.
std::int64_t require_axis(const OpCase& c);

/// Returns the largest difference, relative to the largest value of `expected` or to `least_scale` if that is
/// larger. Infinite if shapes differ or a value is not finite. `result` may be of any type; large ones are
/// compared in parts, to take little memory.
double distance(const at::Tensor& expected, const at::Tensor& result, double least_scale = 1);

/// Normal tensors of the row's sizes; one_normal() takes a single tensor, with an axis or without.
Tensors all_normal(const OpCase& c, const Random& random);
Tensors one_normal(const OpCase& c, const Random& random);
Tensors one_normal_with_axis(const OpCase& c, const Random& random);

double count_values(const OpCase& c);    ///< Of the first tensor.
double length_of_axis(const OpCase& c);  ///< Of the row's axis.

}  // namespace gpubench
