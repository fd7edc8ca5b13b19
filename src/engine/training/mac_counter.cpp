#include <cmath>

#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>

#include "engine/training/step_cost.h"
#include "gpubench/engine/model_cost.h"
#include "gpubench/model.h"

namespace gpubench {

std::int64_t count_macs(const std::function<void()>& work) { return std::llround(count_step(work).flop / 2); }

std::int64_t count_parameters(const Model& model) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : model.parameters())
    count += parameter.requires_grad() ? parameter.numel() : 0;
  return count;
}

std::int64_t count_forward_macs(Model& model, const DataSpec& spec) {
  const at::NoGradGuard no_grad;
  model.eval();
  std::vector<std::int64_t> shape{1};
  shape.insert(shape.end(), spec.sample_shape.begin(), spec.sample_shape.end());
  const at::TensorOptions options =
      model.parameters().front().options();  // Bf16 parameters need such inputs.
  const Batch sample{at::zeros(shape, options), at::zeros({1}, options.dtype(at::kLong))};
  return count_macs([&] { model.evaluate(sample); });
}

ModelCost model_cost(const ModelEntry& entry) {
  const auto model = entry.build();
  return {count_parameters(*model), count_forward_macs(*model, entry.spec)};
}

}  // namespace gpubench
