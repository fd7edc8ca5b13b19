#include "engine/training/input/batch_source.h"

#include <ATen/ATen.h>

#include "engine/plan/plan.h"
#include "gpubench/core/collect.h"

namespace gpubench {

at::ScalarType scalar_type(ElementType type) {
  if (type == ElementType::kUint8) return at::kByte;
  return type == ElementType::kInt32 ? at::kInt : at::kLong;
}

at::Tensor converted(const at::Tensor& values, at::ScalarType type) {
  // The division would be rounded twice in a smaller type.
  return values.scalar_type() == at::kByte ? values.to(at::kFloat).div_(255).to(type) : values.to(at::kLong);
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

namespace {

/// Copies the first `count` samples. Bytes are scaled on the device: a quarter of the traffic of float32.
at::Tensor upload(const HostArray& array, std::int64_t count, c10::Device device) {
  std::vector<std::int64_t> shape = array.shape;
  shape.front() = count;
  // from_blob takes a mutable pointer; the view is only ever copied from.
  auto* const data = const_cast<std::byte*>(array.data().data());
  const at::Tensor host = at::from_blob(data, shape, scalar_type(array.type));
  return host.to(device, host.scalar_type(), /*non_blocking=*/false, /*copy=*/true);
}

/// Returns a row for each sample. Copies if the order of values changes.
at::Tensor make_rows(const at::Tensor& samples, const std::vector<std::int64_t>& sample_shape,
                     const InputFormat& format) {
  const bool is_permuted = puts_channels_last(format, sample_shape);
  return (is_permuted ? samples.permute({0, 2, 3, 1}) : samples).reshape({samples.size(0), -1});
}

}  // namespace

ResidentSplit::ResidentSplit(const Split& split, std::int64_t limit, c10::Device device,
                             const InputFormat& format, const SampleDraw& draw)
    : format_(format), draw_(draw), sample_shape_(split.inputs.shape.begin() + 1, split.inputs.shape.end()) {
  const std::int64_t count = used_samples(split.size(), limit);
  rows_ = converted(make_rows(upload(split.inputs, count, device), sample_shape_, format_), format_.type);
  targets_ = converted(upload(split.targets, count, device), format_.type);
}

Batch ResidentSplit::gather(const at::Tensor& indices) const {
  return {make_samples(rows_.index_select(0, indices), sample_shape_, format_),
          targets_.index_select(0, indices)};
}

Batch ResidentSplit::slice(std::int64_t first, std::int64_t count) const {
  return {make_samples(rows_.narrow(0, first, count), sample_shape_, format_),
          targets_.narrow(0, first, count)};
}

void ResidentSplit::begin_epoch() {
  order_ = draw_order();
  position_ = 0;
}

Batch ResidentSplit::next(std::int64_t count) {
  const at::Tensor indices = order_.narrow(0, position_ + share().first(count), share().size(count));
  position_ += count;
  return gather(indices);
}

at::Tensor ResidentSplit::draw_order() const {
  const auto options = at::TensorOptions(device()).dtype(at::kLong);
  if (!device().is_cuda()) return at::randperm(size(), draw_.generator, options);
  // randperm draws short orders on the host and waits. Equal 63-bit keys are rare and harmless.
  return at::empty({size()}, options).random_(draw_.generator).argsort();
}

}  // namespace gpubench
