#include "engine/training/input/example_batch.h"

#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>

namespace gpubench {

Batch example_batch(const DataSpec& spec, std::int64_t samples, const at::TensorOptions& options) {
  std::vector<std::int64_t> shape{samples};
  shape.insert(shape.end(), spec.sample_shape.begin(), spec.sample_shape.end());
  const at::TensorOptions whole_numbers = options.dtype(at::kLong);
  if (spec.task == Task::kLanguage) return {at::zeros(shape, whole_numbers), at::zeros(shape, whole_numbers)};
  // Noise of a small type is not to be had on every device.
  const at::Tensor noise =
      at::rand(shape, options.dtype(at::kFloat)).to(c10::typeMetaToScalarType(options.dtype()));
  return {noise, at::zeros({samples}, whole_numbers)};
}

}  // namespace gpubench
