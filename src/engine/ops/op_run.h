#pragma once
// Runs one row of the table of operations: a call, its check, its times.

#include <stdexcept>
#include <string>

#include "engine/plan/op_plan.h"
#include "gpubench/core/clock.h"
#include "gpubench/device.h"
#include "gpubench/op.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Throws a usage Error for sizes that the operation does not take, or whose bytes overflow.
void check_sizes(const OpEntry& entry, const OpCase& sizes);

/// Checks a call against fp64 on the CPU, then times calls. Throws as check_sizes() does. Leaves TF32 off.
OpRecord run_op(const OpEntry& entry, const OpPoint& asked, Device& device, const Clock& clock);

struct OpRow {
  const OpEntry& entry;
  const OpPoint& asked;
  OpCase sizes;
  Device& device;
  OpRecord& record;
};

/// Ends a row without a time; the message is the reason.
struct RowEnd : std::runtime_error {
  RowEnd(RowStatus status_, const std::string& why) : std::runtime_error(why), status(status_) {}
  RowStatus status;
};

/// An operation on its own inputs, with the gradients of all of them if they are wanted. Not thread-safe.
class OpCall {
 public:
  /// `entry` must outlive it.
  OpCall(const OpEntry& entry, OpCase sizes, Tensors inputs);

  /// Adds gradients to later calls; `output` is that of the result. Throws Unsupported if there are none.
  void want_gradients(at::Tensor output);

  /// Frees the last results, since large ones do not fit twice, then queues a call without waiting.
  void make();

  const Tensors& inputs() const { return inputs_; }
  /// Results of the last call: the result, then a gradient for each input that is not of whole numbers.
  const Tensors& outputs() const { return outputs_; }

 private:
  const OpEntry& entry_;
  OpCase sizes_;
  Tensors inputs_;
  Tensors differentiated_;
  at::Tensor output_gradient_;
  Tensors outputs_;
};

bool is_whole(OpType type);

/// Returns random inputs of the row's type on the device; indices keep their type.
Tensors make_inputs(const OpRow& row);

/// Records an upper estimate of the memory of the row and its check. Throws RowEnd if that is not free.
void require_memory(const OpRow& row);

/// Compares a call with fp64; records traffic, error and tolerance. Throws RowEnd for a wrong result.
void check_call(const OpRow& row, OpCall& call);

void check_outputs(const OpRow& row, const OpCall& call);

/// Returns some values of each output, to compare calls. Waits for the device. Needs little memory.
Tensors sample_elements(const Tensors& outputs);

/// Returns whether the sampled elements of two calls are equal within rounding.
bool agree(const Tensors& sampled, const Tensors& others, double tolerance);

}  // namespace gpubench
