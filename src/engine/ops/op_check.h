#pragma once
// Whether a row's call gives what it should, where it should, when it should.

#include <string>

#include "engine/ops/op_call.h"
#include "engine/plan/op_work.h"
#include "gpubench/device.h"

namespace gpubench {

/// A row that ended without a time, and why.
struct Verdict {
  RowStatus status = RowStatus::kOk;
  std::string message;

  bool is_ok() const { return status == RowStatus::kOk; }
};

/// Some values of what a call made, to see whether later calls make the same.
class Spots {
 public:
  /// Waits for the device. Takes no memory to speak of.
  explicit Spots(const Tensors& outputs);

  /// Whether a call made the same, but for rounding.
  bool agree_with(const Spots& other, double tolerance) const;

 private:
  Tensors values_;
};

/// Makes one call and holds it against fp64; notes traffic, error and tolerance in `record`.
Verdict check_call(const OpEntry& entry, const OpRequest& request, OpCall& call, Device& device,
                   OpRecord& record);

/// Holds what the last call made against fp64.
Verdict check_outputs(const OpEntry& entry, const OpRequest& request, const OpCall& call, OpRecord& record);

/// The largest error that a right result may have, relative to the largest value: rounding of the result in
/// its type, and of sums of so many terms in fp32, or in the row's own type. docs/operations.md derives it.
double tolerance_of(OpType type, double terms, bool sums_in_own_type);

}  // namespace gpubench
