#pragma once
// What a file says by itself: GPU against CPU, precision against fp32.

#include <vector>

#include "compare/comparison.h"

namespace gpubench {

/// A figure of two rows of the same work, one over the other. Points into the comparison.
struct RowRatio {
  const Contender* base = nullptr;
  const Contender* other = nullptr;  ///< The same as `base` where a device is held against itself.
  const RowFigures* base_row = nullptr;
  const RowFigures* other_row = nullptr;
  Estimate ratio;  ///< Above 1 the other is the better one.
};

/// t_cpu / t_gpu: each case of a GPU against the CPU's of the same file that is most like it, in equal
/// precision.
std::vector<RowRatio> gpu_benefits(const Comparison& comparison);

/// t_fp32 / t: each case in another precision against the same device's in fp32 that is most like it.
std::vector<RowRatio> precision_gains(const Comparison& comparison);

}  // namespace gpubench
