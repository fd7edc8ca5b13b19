#pragma once
// Operations that are timed individually: inputs, call, cost and check. Implementations: src/ops.

#include <functional>
#include <optional>
#include <vector>

#include <ATen/ATen.h>

#include "gpubench/core/catalog.h"
#include "gpubench/record/op_case.h"

namespace gpubench {

using Tensors = std::vector<at::Tensor>;
using Random = std::optional<at::Generator>;

/// Accumulation type: LibTorch sums half-precision products in fp32, but adds into a tensor in its own type.
enum class Sums { kWide, kInOwnType };

/// Functions of an operation. Stateless, so thread-safe.
struct OpFunctions {
  /// Returns random inputs in host memory: fp64, or int64 for indices. Without `random` they have no values
  /// (device "meta"). Use the functions of src/ops/parts.h. Throws a usage Error for wrong sizes.
  std::function<Tensors(const OpCase& c, const Random& random)> inputs;

  /// Computes the operation on inputs of any type and device, into a new tensor.
  std::function<at::Tensor(const Tensors& inputs, const OpCase& c)> call;

  /// Returns the largest difference of `result` from an fp64 reference, relative to the largest value.
  /// `inputs` are those of the call in fp64, indices in int64; `result` has any type and shape. All are in
  /// host memory. The reference uses another algorithm than `call`, so that they cannot share a bug.
  std::function<double(const Tensors& inputs, const at::Tensor& result, const OpCase& c)> error;

  /// Returns the floating-point operations of a call; 0 if it only moves data.
  std::function<double(const OpCase& c)> flop = [](const OpCase&) { return 0; };

  /// Returns the number of terms summed into one result value. Rounding errors grow with it.
  std::function<double(const OpCase& c)> terms = [](const OpCase&) { return 1; };

  Sums sums = Sums::kWide;
};

/// Catalog entry of an operation.
struct OpEntry : OpInfo, OpFunctions {};

/// Returns all operations, in the order of src/ops/catalog/catalog.def.
const Catalog<OpEntry>& ops();

}  // namespace gpubench
