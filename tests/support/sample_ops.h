#pragma once
// Constructed operation runs with fixed values, as input for all readers of such runs.

#include "gpubench/record/run_record.h"

namespace gpubench::test {

/// Returns a compute-bound `matmul` on cuda:0 with twenty samples around `seconds`.
OpRecord finished_row(double seconds = 0.0021);

/// Returns a run without rows, of a machine with all fields.
RunRecord empty_ops();

/// Returns rows of every status, a slow one, one with warnings, one faster than memory because of a cache,
/// and one with a graph.
RunRecord mixed_ops();

/// Returns three operations with all types; some are incorrect, unsupported, slow, or fell back to the CPU.
RunRecord matrix_ops();

/// Returns square products from 64 to 1024 in two types; one is out of memory.
RunRecord sweep_ops();

/// Returns some rows of mixed_ops on another machine: the CPU of a laptop, with protocol s4.
RunRecord laptop_ops();

}  // namespace gpubench::test
