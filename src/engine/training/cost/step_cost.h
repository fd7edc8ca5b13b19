#pragma once
// What a training step costs, counted while it runs. docs/utilization.md explains.

#include <cstdint>
#include <functional>

#include "engine/api/model_cost.h"
#include "engine/plan/rank_context.h"

namespace gpubench {

/// Counts what `step` does on every thread of the process, since LibTorch runs the backward pass of a GPU on
/// a thread of its own. No other thread may use LibTorch meanwhile, and counts do not nest. Throws what
/// `step` throws.
StepCost count_step(const std::function<void()>& step);

/// The cost to one rank of a step of `batch_size` samples over all ranks, from steps of 4 and of 8 samples a
/// rank. `step` is called with the number of samples over all ranks, never more than `batch_size`. All ranks
/// make the same steps, none without samples where the batch has one for each.
StepCost cost_of_batch(const std::function<void(std::int64_t samples)>& step, std::int64_t batch_size,
                       RankShare share = {});

}  // namespace gpubench
