#pragma once
// What a model costs, counted on the model itself instead of declared by it.

#include <cstdint>
#include <functional>

#include "gpubench/model_catalog.h"

namespace gpubench {

/// Trainable parameters of a built model.
std::int64_t count_parameters(const Model& model);

/// Multiply-accumulates of one forward pass of one sample, on the device where the model's parameters are.
/// Leaves the model in evaluation mode.
std::int64_t count_forward_macs(Model& model, const DataSpec& spec);

/// What one size of a model costs.
struct ModelCost {
  std::int64_t parameters;
  std::int64_t forward_macs;
};

/// Builds the model in host memory and counts.
ModelCost model_cost(const ModelEntry& entry);

/// Multiply-accumulates of the matrix products, convolutions, LSTMs and attention that `work` runs;
/// element-wise operations do not count. No other thread may use LibTorch meanwhile.
std::int64_t count_macs(const std::function<void()>& work);

}  // namespace gpubench
