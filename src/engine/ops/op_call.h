#pragma once
// A row's call, ready to be made again and again.

#include "gpubench/op.h"
#include "gpubench/record/op_record.h"

namespace gpubench {

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
