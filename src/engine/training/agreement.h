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
/// Modes add in different orders and round in different places. In most networks that makes far less than
/// this; a kernel that takes the wrong elements makes more: what is unrelated is 1.4 of its length away.
struct Tolerance {
  double loss = 0;
  double tensor = 0;
};

Tolerance find_tolerance(Precision precision);

/// A copy in fp32 and in the host's memory, in the order of the indices whatever the strides; empty where the
/// tensor is not defined. Waits for the device.
at::Tensor host_copy(const at::Tensor& tensor);

/// Moves each of the parameters by about what a value is rounded by in `precision`. What training comes to
/// then shows what it makes of rounding.
void perturb(const std::vector<at::Tensor>& parameters, Precision precision);

/// What a mode came to in another way than the plain one, in words: "loss 2 of the trial is 2.31 and 2.29";
/// empty where nothing did. Each figure may be as far apart as the tolerance says, or three times as far as
/// rounding by itself takes the plain mode, which `perturbed` shows. What is not finite agrees with what is
/// not finite either. A tensor that is far shorter than the others is held against a share of their length.
std::string disagreement(const TrainingResult& plain, const TrainingResult& perturbed,
                         const TrainingResult& other, Tolerance tolerance);

}  // namespace gpubench
