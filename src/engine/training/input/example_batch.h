#pragma once
// Made-up batches, where only shapes and types matter.

#include "gpubench/batch.h"
#include "gpubench/record/data_spec.h"

namespace gpubench {

/// `samples` samples of noise in [0, 1], or of one and the same token, each with target 0; float values are
/// of the type of `options`, which says the device too.
Batch example_batch(const DataSpec& spec, std::int64_t samples, const at::TensorOptions& options);

}  // namespace gpubench
