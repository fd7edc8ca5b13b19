#pragma once
// A call of an operation: its inputs, and what it makes of them.

#include <cstdint>
#include <string>

#include "engine/plan/op_work.h"
#include "gpubench/op.h"
#include "gpubench/record/ops_record.h"

namespace gpubench {

/// Fresh random inputs of the row's type on the device; indices keep theirs.
Tensors row_inputs(const OpEntry& entry, const OpRequest& request, const std::string& device);

/// The gradient of a result like `result`.
at::Tensor row_gradient(const at::Tensor& result, std::uint64_t seed);

/// The same values in fp64 in host memory; indices stay int64.
Tensors in_fp64(const OpEntry& entry, const OpRequest& request, const Tensors& inputs);

/// The numbers of a row.
struct NumberFormat {
  at::ScalarType type;
  double unit_roundoff;  ///< Half the distance from 1 to the next number; 0 for whole numbers.
};
NumberFormat format_of(OpType type);
inline bool is_whole(OpType type) { return format_of(type).unit_roundoff == 0; }

/// What the values take together.
std::int64_t bytes_of(const Tensors& tensors);

/// Bytes that a row takes, its check included, by an upper estimate. Takes no such memory itself.
struct RowMemory {
  std::int64_t host = 0;
  std::int64_t device = 0;  ///< 0 for the CPU.
};
RowMemory row_memory(const OpEntry& entry, const OpRequest& request, bool is_on_cpu);

/// An operation on inputs of its own, with the gradients of all of them where they are wanted. Not
/// thread-safe.
class OpCall {
 public:
  /// `entry` must outlive it.
  OpCall(const OpEntry& entry, OpCase sizes, Tensors inputs);

  /// From now on a call computes gradients too, `output` being that of the result. Throws Unsupported where
  /// the operation has none for these inputs.
  void want_gradients(at::Tensor output);

  /// Frees what the last call made, since large results do not fit twice, and calls. Queues work and does not
  /// wait for it.
  void make();

  const Tensors& inputs() const { return inputs_; }
  /// Of the last call: the result, then a gradient for each input that is not of whole numbers.
  const Tensors& outputs() const { return outputs_; }

 private:
  const OpEntry& entry_;
  OpCase sizes_;
  Tensors inputs_;
  Tensors differentiated_;
  at::Tensor output_gradient_;
  Tensors outputs_;
};

}  // namespace gpubench
