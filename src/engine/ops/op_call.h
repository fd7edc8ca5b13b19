#pragma once
// A call of an operation: its inputs, its results, and their check.

#include <cstdint>
#include <stdexcept>
#include <string>

#include "engine/plan/op_work.h"
#include "gpubench/device.h"
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
NumberFormat find_format(OpType type);
inline bool is_whole(OpType type) { return find_format(type).unit_roundoff == 0; }

/// What the values take together.
std::int64_t count_bytes(const Tensors& tensors);

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

/// Ends a row without a time; the message says why.
struct RowEnd : std::runtime_error {
  RowEnd(RowStatus status_, const std::string& why) : std::runtime_error(why), status(status_) {}
  RowStatus status;
};

/// Some values of what a call made, to see whether later calls make the same. Waits for the device. Takes no
/// memory to speak of.
Tensors sample_elements(const Tensors& outputs);

/// Whether the sampled_elements of two calls are the same, but for rounding.
bool agree(const Tensors& sampled_elements, const Tensors& others, double tolerance);

/// Makes one call and holds it against fp64; notes traffic, error and tolerance in `record`. Throws RowEnd
/// for what is wrong.
void check_call(const OpEntry& entry, const OpRequest& request, OpCall& call, Device& device,
                OpRecord& record);

/// The same of what the last call made.
void check_outputs(const OpEntry& entry, const OpRequest& request, const OpCall& call, OpRecord& record);

}  // namespace gpubench
