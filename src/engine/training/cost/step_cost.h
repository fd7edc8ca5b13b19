#pragma once
// Counts the cost of a training step while it runs. See docs/utilization.md.

#include <cstdint>
#include <functional>

#include "engine/api/model_cost.h"
#include "engine/plan/rank_context.h"

namespace gpubench {

/// Counts the operations of `step` on all threads, since LibTorch runs the backward pass of a GPU on its own
/// thread. No other thread may use LibTorch meanwhile, and counts do not nest. Throws what `step` throws.
StepCost count_step(const std::function<void()>& step);

/// Returns one rank's cost of a step of `batch_size` samples over all ranks, from steps of 4 and of 8 samples
/// a rank. `step` is called with the number of samples over all ranks, at most `batch_size`. All ranks make
/// the same steps.
StepCost cost_of_batch(const std::function<void(std::int64_t samples)>& step, std::int64_t batch_size,
                       RankShare share = {});

}  // namespace gpubench
