#pragma once
// How many multiply-accumulates LibTorch's operations take, from their inputs alone.

#include <cstdint>
#include <optional>
#include <string_view>

#include <ATen/core/ivalue.h>

namespace gpubench {

/// The arguments of an operation in the order of its schema.
using OperationInputs = c10::ArrayRef<const c10::IValue>;

/// Multiply-accumulates of operation `name` ("aten::mm") as a whole, whatever it calls to do its work: matrix
/// products, convolutions, recurrent layers and attention, forward and backward. 0 for integers; nothing for
/// an operation that has none, or that leaves them to the operations that it calls.
std::optional<std::int64_t> macs_of(std::string_view name, OperationInputs inputs);

}  // namespace gpubench
