#include <cmath>

#include <ATen/core/Tensor.h>

#include "engine/api/model_cost.h"
#include "engine/training/cost/step_cost.h"
#include "engine/training/input/batch_source.h"
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
  // Bf16 parameters need such inputs.
  const Batch sample = example_batch(spec, 1, model.parameters().front().options());
  return count_macs([&] { model.evaluate(sample); });
}

ModelCost model_cost(const ModelEntry& entry) {
  const auto model = entry.build(all_sizes(entry, {}));
  return {count_parameters(*model), count_forward_macs(*model, spec_at(entry, {}))};
}

}  // namespace gpubench
