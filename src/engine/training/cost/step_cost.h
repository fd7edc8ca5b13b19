#pragma once
// Counts the cost of a training step while it runs. See docs/utilization.md.

#include <cstdint>
#include <functional>

#include "engine/api/model_cost.h"
#include "engine/plan/rank_context.h"

namespace gpubench {

/// Counts on all threads: no other thread may use LibTorch. Does not nest. Throws what `step` throws.
StepCost count_step(const std::function<void()>& step);

/// Returns one rank's cost of a step of `batch_size` samples, from steps of 4 and 8 samples a rank. `step`
/// gets the samples over all ranks. All ranks make the same steps.
StepCost cost_of_batch(const std::function<void(std::int64_t samples)>& step, std::int64_t batch_size,
                       RankShare share = {});

}  // namespace gpubench
