#pragma once
// What a row computes on, and how much memory that takes.

#include <cstdint>
#include <string>

#include "engine/plan/op_work.h"
#include "gpubench/op.h"

namespace gpubench {

/// Fresh random inputs of the row's type on the device; indices keep theirs.
Tensors row_inputs(const OpEntry& entry, const OpRequest& request, const std::string& device);

/// The gradient of a result like `result`.
at::Tensor row_gradient(const at::Tensor& result, std::uint64_t seed);

/// The same values in fp64 in host memory; indices stay int64.
Tensors in_fp64(const OpEntry& entry, const OpRequest& request, const Tensors& inputs);

bool is_whole(OpType type);

/// What the values take together.
std::int64_t bytes_of(const Tensors& tensors);

/// Bytes that a row takes, its check included, by an upper estimate. Takes no such memory itself.
struct RowMemory {
  std::int64_t host = 0;
  std::int64_t device = 0;  ///< 0 for the CPU.
};
RowMemory row_memory(const OpEntry& entry, const OpRequest& request, bool is_on_cpu);

}  // namespace gpubench
