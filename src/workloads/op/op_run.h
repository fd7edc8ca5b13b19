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

/// Ends a row without a time; the message is the reason.
struct RowEnd : std::runtime_error {
  RowEnd(RowStatus status_, const std::string& why) : std::runtime_error(why), status(status_) {}
  RowStatus status;
};

bool is_whole(OpType type);

/// The operation of a row on its own random inputs, and its check. Not thread-safe. References outlive it.
class OpCall {
 public:
  /// Records an upper estimate of the memory of row and check. Throws RowEnd if that is not free.
  OpCall(const OpEntry& entry, const OpPoint& asked, const OpCase& sizes, Device& device, OpRecord& record);

  /// Frees the last results, since large ones do not fit twice, then queues a call without waiting.
  void make();

  /// Makes a call, with gradients from then on if they are asked for, and compares it with fp64. Records
  /// traffic, error and tolerance. Throws RowEnd for a wrong result, Unsupported if there are no gradients.
  void check();

  /// Compares some values of the last call with the checked one's. Throws RowEnd if it is wrong.
  void check_again();

 private:
  void require_memory();
  void check_place() const;
  void check_outputs();
  Tensors sample() const;
  Tensors fp64_gradients(const Tensors& wide_inputs) const;

  const OpEntry& entry_;
  const OpPoint& asked_;
  const OpCase& sizes_;
  Device& device_;
  OpRecord& record_;
  Tensors inputs_;
  Tensors differentiated_;
  at::Tensor output_gradient_;
  Tensors outputs_;
  Tensors right_;  // Sampled from the call that was checked.
};

}  // namespace gpubench
