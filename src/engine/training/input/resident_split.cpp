#include "engine/training/input/resident_split.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/randperm.h>

#include "engine/plan/plan.h"

namespace gpubench {
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
  // randperm draws short orders on the host and waits for their copy. Equal 63-bit keys are rare and
  // harmless.
  return at::empty({size()}, options).random_(draw_.generator).argsort();
}

}  // namespace gpubench
