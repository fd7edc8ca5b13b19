#pragma once
// Counts the cost of training steps, and profiles steps. See docs/timing.md.

#include <cstdint>
#include <functional>
#include <string>

#include "engine/api/model_cost.h"
#include "engine/plan/rank_context.h"
#include "gpubench/device.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Returns the cost of `step`. Counts on all threads, so no other thread may use LibTorch. Does not nest.
StepCost count_step(const std::function<void()>& step);

/// Returns one rank's cost of a step of `batch_size` samples, extrapolated from steps of 4 and 8 samples per
/// rank. `step` gets the samples over all ranks. All ranks must call it.
StepCost cost_of_batch(const std::function<void(std::int64_t samples)>& step, std::int64_t batch_size,
                       RankShare share = {});

/// Warms up, then profiles `steps` calls of `step`. Sets record.profile_phases and profile_layers, and writes
/// a Chrome trace unless `trace_file` is empty. Failures become warnings. Continues the training.
void profile_steps(const std::function<void()>& step, std::int64_t steps, const std::string& trace_file,
                   Device& device, CaseRecord& record);

}  // namespace gpubench
