#pragma once
// Whether a row's call gives what it should, where it should, when it should.

#include <stdexcept>
#include <string>

#include "engine/ops/op_call.h"
#include "engine/plan/op_work.h"
#include "gpubench/device.h"

namespace gpubench {

/// Ends a row without a time; the message says why.
struct RowEnd : std::runtime_error {
  RowEnd(RowStatus status_, const std::string& why) : std::runtime_error(why), status(status_) {}
  RowStatus status;
};

/// Some values of what a call made, to see whether later calls make the same. Waits for the device. Takes no
/// memory to speak of.
Tensors spots_of(const Tensors& outputs);

/// Whether the spots of two calls are the same, but for rounding.
bool agree(const Tensors& spots, const Tensors& others, double tolerance);

/// Makes one call and holds it against fp64; notes traffic, error and tolerance in `record`. Throws RowEnd
/// for what is wrong.
void check_call(const OpEntry& entry, const OpRequest& request, OpCall& call, Device& device,
                OpRecord& record);

/// The same of what the last call made.
void check_outputs(const OpEntry& entry, const OpRequest& request, const OpCall& call, OpRecord& record);

}  // namespace gpubench
