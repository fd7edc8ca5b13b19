#pragma once
// An operation that is timed by itself: inputs, call, cost and check. Implementations are in src/ops.

#include <functional>
#include <optional>
#include <vector>

#include <ATen/ATen.h>

#include "gpubench/core/catalog.h"
#include "gpubench/record/op_case.h"

namespace gpubench {

using Tensors = std::vector<at::Tensor>;
using Random = std::optional<at::Generator>;

/// Type of sums: LibTorch sums products of half precision in fp32, but adds into a tensor in its own type.
enum class Sums { kWide, kInOwnType };

/// Functions of an operation. Stateless: they may be called from several threads.
struct OpFunctions {
  /// Returns random inputs in host memory, in fp64, and int64 for indices; without values (device "meta") if
  /// `random` is undefined. Made by the functions of src/ops/parts.h. Throws a usage Error for wrong sizes.
  std::function<Tensors(const OpCase& c, const Random& random)> inputs;

  /// Computes the operation on inputs of any type and device. Returns a new tensor.
  std::function<at::Tensor(const Tensors& inputs, const OpCase& c)> call;

  /// Returns the largest difference of `result` from fp64, relative to the largest value. `inputs` are those
  /// of the call, in fp64 (indices in int64); `result` has its own type and any shape; all in host memory.
  /// Computes in another way than `call`, so that they do not share a fault.
  std::function<double(const Tensors& inputs, const at::Tensor& result, const OpCase& c)> error;

  /// Floating-point operations of a call; 0 where it only moves data.
  std::function<double(const OpCase& c)> flop = [](const OpCase&) { return 0; };

  /// Returns the terms that go into one value of the result: rounding errors grow with them.
  std::function<double(const OpCase& c)> terms = [](const OpCase&) { return 1; };

  Sums sums = Sums::kWide;
};

/// An operation.
struct OpEntry : OpInfo, OpFunctions {};

/// All operations, in the order of src/ops/catalog/catalog.def.
const Catalog<OpEntry>& ops();

}  // namespace gpubench
