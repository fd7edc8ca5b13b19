#pragma once
// What a model is given in a step.

#include <ATen/core/Tensor.h>

namespace gpubench {

/// One minibatch, on the device. Both tensors have the samples in dimension 0.
struct Batch {
  at::Tensor inputs;   ///< Float32, or int64 tokens; shape: samples, then DataSpec::sample_shape.
  at::Tensor targets;  ///< Int64: a class index each, or a token for each token of the inputs.
};

}  // namespace gpubench
