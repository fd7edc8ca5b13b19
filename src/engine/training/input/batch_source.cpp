#include "engine/training/input/batch_source.h"

#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"

namespace gpubench {

at::ScalarType scalar_type(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
      return at::kByte;
    case ElementType::kInt32:
      return at::kInt;
    case ElementType::kInt64:
      return at::kLong;
  }
  throw Error(ErrorKind::kInternal, "a host array has an unknown element type");
}

at::Tensor converted(const at::Tensor& values, at::ScalarType type) {
  // The division would be rounded twice in a smaller type.
  return values.scalar_type() == at::kByte ? values.to(at::kFloat).div_(255).to(type) : values.to(at::kLong);
}

at::Tensor make_rows(const at::Tensor& samples, const std::vector<std::int64_t>& sample_shape,
                     const InputFormat& format) {
  const bool is_permuted = puts_channels_last(format, sample_shape);
  return (is_permuted ? samples.permute({0, 2, 3, 1}) : samples).reshape({samples.size(0), -1});
}

at::Tensor make_samples(const at::Tensor& rows, const std::vector<std::int64_t>& sample_shape,
                        const InputFormat& format) {
  std::vector<std::int64_t> shape{rows.size(0)};
  append(shape, sample_shape);
  if (!puts_channels_last(format, sample_shape)) return rows.view(shape);
  return rows.view({shape[0], shape[2], shape[3], shape[1]}).permute({0, 3, 1, 2});
}

Batch example_batch(const DataSpec& spec, std::int64_t samples, const at::TensorOptions& options) {
  std::vector<std::int64_t> shape{samples};
  append(shape, spec.sample_shape);
  const at::TensorOptions whole_numbers = options.dtype(at::kLong);
  if (spec.task == Task::kLanguage) return {at::zeros(shape, whole_numbers), at::zeros(shape, whole_numbers)};
  // Not every device makes noise of a small type.
  const at::Tensor noise =
      at::rand(shape, options.dtype(at::kFloat)).to(c10::typeMetaToScalarType(options.dtype()));
  return {noise, at::zeros({samples}, whole_numbers)};
}

}  // namespace gpubench
