#pragma once
// Bounds the gradients of a group.

#include <vector>

#include <ATen/core/Tensor.h>

namespace gpubench {

/// Scales all gradients, in place, by min(1, largest / (norm + 1e-6)), `norm` being the Euclidean norm over
/// all of them together (Pascanu et al., "On the difficulty of training recurrent neural networks", 2013).
/// Never waits for the device.
void clip_gradients(std::vector<at::Tensor>& gradients, double largest_norm);

}  // namespace gpubench
