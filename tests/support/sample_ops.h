#pragma once
// Constructed tables of operations with fixed values, as input for everything that reads one.

#include "gpubench/record/run_record.h"

namespace gpubench::test {

/// `matmul` on cuda:0, bound by its products: twenty samples about `seconds`.
OpRecord finished_row(double seconds = 0.0021);

/// A machine whose every figure is known, no row yet.
RunRecord empty_ops();

/// A row of every status, one that is slow, one with warnings, one that a cache makes faster than memory, one
/// with a graph.
RunRecord mixed_ops();

/// Three operations by all types, some of which are wrong, unsupported, fell back or slow.
RunRecord matrix_ops();

/// Square products from 64 to 1024 in two types, with one that ran out of memory.
RunRecord sweep_ops();

/// Rows that mixed_ops has too, on another machine: the CPU of a laptop by protocol s4.
RunRecord laptop_ops();

}  // namespace gpubench::test
