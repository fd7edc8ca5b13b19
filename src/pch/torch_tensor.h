#pragma once
// What most files that use tensors, and no torch::nn, include, compiled once.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
