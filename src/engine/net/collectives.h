#pragma once
// Collectives between the ranks of a group, timed and checked as nccl-tests does it.

#include <memory>

#include "engine/api/network.h"
#include "engine/plan/op_work.h"
#include "gpubench/core/clock.h"
#include "gpubench/device.h"

namespace gpubench {

/// Joins the other ranks. Device and clock outlive it. Throws FailedExchange.
std::unique_ptr<Network> join_network(const RankSeat& seat, Device& device, const Clock& clock);

}  // namespace gpubench
