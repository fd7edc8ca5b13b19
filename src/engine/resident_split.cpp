#include "engine/resident_split.h"

#include <ATen/ops/from_blob.h>

#include "gpubench/engine/plan.h"

namespace gpubench {
namespace {

at::ScalarType scalar_type(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
      return at::kByte;
    case ElementType::kInt64:
      return at::kLong;
  }
  throw Error(ErrorKind::kInternal, "a host array has an unknown element type");
}

/// A view of the first `count` samples in host memory.
at::Tensor view_of(const HostArray& array, std::int64_t count) {
  std::vector<std::int64_t> shape = array.shape;
  shape.front() = count;
  // from_blob takes a mutable pointer; the view is only ever copied from.
  return at::from_blob(const_cast<std::byte*>(array.data().data()), shape, scalar_type(array.type));
}

/// Bytes cross to the device as they are and are scaled there: a quarter of the traffic of float32.
at::Tensor upload(const HostArray& array, std::int64_t count, c10::Device device) {
  const at::Tensor host = view_of(array, count);
  const at::Tensor on_device = host.to(device, host.scalar_type(), /*non_blocking=*/false, /*copy=*/true);
  return array.type == ElementType::kUint8 ? on_device.to(at::kFloat).div_(255) : on_device;
}

}  // namespace

ResidentSplit::ResidentSplit(const Split& split, std::int64_t limit, c10::Device device) {
  const std::int64_t count = used_samples(split.size(), limit);
  inputs_ = upload(split.inputs, count, device);
  targets_ = upload(split.targets, count, device);
}

Batch ResidentSplit::gather(const at::Tensor& indices) const {
  return {inputs_.index_select(0, indices), targets_.index_select(0, indices)};
}

Batch ResidentSplit::slice(std::int64_t first, std::int64_t count) const {
  return {inputs_.narrow(0, first, count), targets_.narrow(0, first, count)};
}

}  // namespace gpubench
