#pragma once
// Parameters, FLOP and memory traffic of a model, counted on the built model.

#include <cstdint>

#include "gpubench/core/units.h"
#include "gpubench/model_catalog.h"

namespace gpubench {

/// Returns the number of trainable parameters.
std::int64_t count_parameters(const Model& model);

/// Returns the multiply-accumulates of a forward pass of one sample. Leaves the model in evaluation mode.
std::int64_t count_forward_macs(Model& model, const DataSpec& spec);

struct StepCost {
  double flop = 0;  ///< Floating-point operations of matrix products, convolutions, LSTMs, attention.
  ///< A multiply-accumulate counts as two; element-wise operations are ignored.
  double operations = 0;  ///< LibTorch operations, except views and allocations.
  double bytes = 0;       ///< Bytes that these operations would access without a cache.

  friend bool operator==(const StepCost&, const StepCost&) = default;
};

/// Costs of a step at two batch sizes. FLOP and bytes are linear in the batch size, operations constant.
struct StepCosts {
  static constexpr std::int64_t kSmallBatch = 4;
  static constexpr std::int64_t kLargeBatch = 8;

  StepCost small;
  StepCost large;

  StepCost of_batch(std::int64_t samples) const {
    const double further =
        static_cast<double>(samples - kLargeBatch) / static_cast<double>(kLargeBatch - kSmallBatch);
    return {large.flop + further * (large.flop - small.flop), large.operations,
            large.bytes + further * (large.bytes - small.bytes)};
  }
};

/// Peak memory of a training on one rank, by part.
struct MemoryEstimate {
  Bytes parameters;   ///< Includes buffers such as running statistics.
  Bytes gradients;    ///< Gradients of all parameters.
  Bytes optimizer;    ///< State of the optimizer, including fp32 copies of parameters of other types.
  Bytes activations;  ///< Rest of a step: batch, activations, logits, workspace.
  Bytes data;         ///< Samples in the device's memory.
  Bytes program;      ///< Program and libraries, if they are in the device's memory.

  Bytes total() const { return parameters + gradients + optimizer + activations + data + program; }
};

struct ModelCost {
  std::int64_t parameters;
  std::int64_t forward_macs;
};

/// Counts on LibTorch's meta device, which needs neither memory nor time for large models.
ModelCost model_cost(const ModelEntry& entry);

}  // namespace gpubench
