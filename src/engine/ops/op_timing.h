#pragma once
// Times the calls of a row whose result is right.

#include <functional>

#include "engine/ops/op_call.h"
#include "engine/ops/op_check.h"
#include "engine/plan/op_work.h"
#include "gpubench/core/clock.h"
#include "gpubench/device.h"

namespace gpubench {

/// A row that is to be timed.
struct OpRow {
  const OpRequest& request;
  OpCall& call;
  Spots right;                       ///< Of the call that was checked.
  std::function<Verdict()> recheck;  ///< Of what the last call made, should it be something else.
  Device& device;
  const Clock& clock;
};

/// Warms up, then takes samples into `record`. Where the last call of a sample made something wrong, or the
/// device was not done when the clock stopped, there are none and the verdict says why.
Verdict time_calls(OpRow& row, OpRecord& record);

/// Times tiny calls once more as the device replays them from a recorded graph, where it can. What they make
/// is not looked at. A call that cannot be recorded leaves a row without such times.
void time_in_graph(OpRow& row, OpRecord& record);

}  // namespace gpubench
