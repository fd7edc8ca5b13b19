#pragma once
// Collectives between the ranks of a group, timed and checked as nccl-tests does it.

#include <memory>

#include "engine/api/network.h"
#include "engine/plan/op_work.h"
#include "gpubench/core/clock.h"
#include "gpubench/device.h"

namespace gpubench {

/// Device, clock and monitor outlive it. The monitor is told of a lost connection.
std::unique_ptr<Network> join_network(const RankContext& context, Device& device, const Clock& clock,
                                      CaseMonitor& monitor);

}  // namespace gpubench
