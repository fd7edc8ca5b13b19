#pragma once
// Compares the results of training in two modes, which a trial does before it compares times.

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "gpubench/record/training_mode.h"

namespace gpubench {

/// Results of a short training, from the same parameters, samples and random numbers as another one.
struct TrainingResult {
  struct Tensor {
    std::string name;   ///< "the gradient of network.0.weight".
    at::Tensor values;  ///< From host_copy().
  };
  std::vector<double> losses;  ///< The model's first figure, of each step or epoch.
  std::vector<Tensor> tensors;
};

/// Largest differences as shares: of a loss, and of a tensor's Euclidean norm. Rounding in another order
/// makes far less than this; unrelated tensors are 1.4 apart.
struct Tolerance {
  double loss = 0;
  double tensor = 0;
};

Tolerance find_tolerance(Precision precision);

/// Returns a copy in fp32 in host memory, contiguous; empty if the tensor is undefined. Waits for the device.
at::Tensor host_copy(const at::Tensor& tensor);

/// Moves the parameters by about a rounding in `precision`, to show how far training magnifies it.
void perturb(const std::vector<at::Tensor>& parameters, Precision precision);

/// Names a differing result, "loss 2 of the trial is 2.31 and 2.29"; empty if none differs. The limit is
/// the tolerance or three times the effect of rounding (`perturbed`). Values that are not finite agree. A
/// short tensor is compared with a share of the length of all.
std::string disagreement(const TrainingResult& plain, const TrainingResult& perturbed,
                         const TrainingResult& other, Tolerance tolerance);

}  // namespace gpubench
