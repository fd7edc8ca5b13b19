#pragma once
// An operation that is timed by itself: its inputs, its call, what it costs and how its result is checked.
// Implementations live in src/ops, one file for each or for several related ones; see CONTRIBUTING.md.

#include <functional>
#include <optional>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include "gpubench/core/catalog.h"
#include "gpubench/record/op_case.h"

namespace gpubench {

using Tensors = std::vector<at::Tensor>;
using Random = std::optional<at::Generator>;

/// Where the rounding errors of sums come from: LibTorch sums products of half precision in fp32, but adds
/// into a tensor in the tensor's own type.
enum class Sums { kWide, kInOwnType };

/// Functions of an operation. Stateless: they may be called from several threads.
struct OpFunctions {
  /// Fresh random inputs in host memory, in fp64, and int64 for indices; without values (device "meta") where
  /// `random` is undefined. Made by the functions of src/ops/parts.h. Throws a usage Error for sizes that the
  /// operation does not take.
  std::function<Tensors(const OpCase& c, const Random& random)> inputs;

  /// The operation, on inputs of any type and device. What it returns is new.
  std::function<at::Tensor(const Tensors& inputs, const OpCase& c)> call;

  /// How far `result` is from right: the largest difference to what fp64 gives, relative to the largest
  /// value. `inputs` are what the call had, in fp64 (indices in int64) in host memory; `result` is what it
  /// gave, in its own type in host memory, of any shape. Another way of computing than `call`, so that a
  /// fault of the one is not one of the other.
  std::function<double(const Tensors& inputs, const at::Tensor& result, const OpCase& c)> error;

  /// Floating-point operations of a call; 0 where it only moves data.
  std::function<double(const OpCase& c)> flop = [](const OpCase&) { return 0; };

  /// How many terms go into one value of the result: what rounding errors grow with.
  std::function<double(const OpCase& c)> terms = [](const OpCase&) { return 1; };

  Sums sums = Sums::kWide;
};

/// An operation.
struct OpEntry : OpInfo, OpFunctions {};

/// All operations, in the order of src/ops/catalog/catalog.def.
const Catalog<OpEntry>& ops();

}  // namespace gpubench
