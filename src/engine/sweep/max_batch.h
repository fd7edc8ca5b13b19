#pragma once
// The largest batch that fits into memory.

#include <functional>

#include "engine/execution/executor.h"

namespace gpubench {

/// What a search came to.
struct MaxBatch {
  std::int64_t batch_size = 0;      ///< The largest that ran; 0 where not even the first one did.
  std::int64_t failed_size = 0;     ///< The smallest that did not; 0 where every sample fits into one batch.
  std::string failure;              ///< What became of that one.
  Reading<Bytes> peak;              ///< Memory at the largest: of the device, or of the process on a CPU.
  Reading<Bytes> bytes_per_sample;  ///< How much more memory one more sample takes.
};

/// Told of every trial.
using TellTrial = std::function<void(std::int64_t batch_size, const PilotResult& result)>;

/// Doubles the batch size of `c` until a trial fails, then halves the gap until it is below 1 % of the size;
/// each trial is a few steps in a process of its own. `samples` of training data are there: no batch is
/// larger.
MaxBatch find_max_batch(const Case& c, std::int64_t samples, CaseExecutor& executor, RowControl& control,
                        const TellTrial& tell);

}  // namespace gpubench
