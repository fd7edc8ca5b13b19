#pragma once
// Whether training in one mode comes to the same as in another: what a trial looks at before it looks at
// time.

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "gpubench/record/training_mode.h"

namespace gpubench {

/// What a little training came to, from the same parameters, samples and random numbers as what it is held
/// against.
struct TrainingResult {
  struct Tensor {
    std::string name;   ///< "the gradient of network.0.weight".
    at::Tensor values;  ///< From host_copy().
  };
  std::vector<double> losses;  ///< The model's first figure, of each step or epoch.
  std::vector<Tensor> tensors;
};

/// How far apart two results may be, as shares: of a loss, and of a tensor's length (its Euclidean norm).
/// Modes add in different orders and round in different places. That makes far less than this; a kernel that
/// takes the wrong elements makes more: what is unrelated is 1.4 of its length away.
struct Tolerance {
  double loss = 0;
  double tensor = 0;
};

Tolerance tolerance_of(Precision precision);

/// A copy in fp32 and in the host's memory, in the order of the indices whatever the strides; empty where the
/// tensor is not defined. Waits for the device.
at::Tensor host_copy(const at::Tensor& tensor);

/// What is farther apart than the tolerance, in words: "the loss of step 2 is 2.31 and 2.29"; empty where
/// nothing is. What is not finite agrees with what is not finite either. A tensor that is far shorter than
/// the others is held against a share of their length: there may be nothing in it but rounding.
std::string disagreement(const TrainingResult& a, const TrainingResult& b, Tolerance tolerance);

}  // namespace gpubench
