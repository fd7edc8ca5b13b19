#pragma once
// What a training step costs, counted while it runs. docs/utilization.md explains.

#include <cstdint>
#include <functional>

namespace gpubench {

/// Of one step.
struct StepCost {
  double flop = 0;        ///< Floating-point operations of matrix products, convolutions, LSTMs, attention:
                          ///< two for a multiply-accumulate. Element-wise work does not count.
  double operations = 0;  ///< Operations of LibTorch that do work: no views, no allocations.
  double bytes = 0;       ///< What these read and write if no cache helps.

  friend bool operator==(const StepCost&, const StepCost&) = default;
};

/// Counts what `step` does on every thread of the process, since LibTorch runs the backward pass of a GPU on
/// a thread of its own. No other thread may use LibTorch meanwhile, and counts do not nest. Throws what
/// `step` throws.
StepCost count_step(const std::function<void()>& step);

/// The cost of a step of `batch_size` samples, from steps of 4 and of 8: FLOP and bytes lie on a straight
/// line, the operations are always the same. `step` is called with the number of samples, never more than
/// `batch_size`.
StepCost cost_of_batch(const std::function<void(std::int64_t samples)>& step, std::int64_t batch_size);

}  // namespace gpubench
