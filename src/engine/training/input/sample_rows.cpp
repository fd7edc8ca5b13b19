#include "engine/training/input/sample_rows.h"

#include <cstring>
#include <functional>
#include <numeric>

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>

#include "engine/training/input/input_format.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

std::int64_t product(const std::vector<std::int64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{1}, std::multiplies<>());
}

std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
      return sizeof(std::uint8_t);
    case ElementType::kInt32:
      return sizeof(std::int32_t);
    case ElementType::kInt64:
      return sizeof(std::int64_t);
  }
  throw Error(ErrorKind::kInternal, "a host array has an unknown element type");
}

/// The same operations as on a device, so that the numbers are the same to the last bit.
at::Tensor byte_table(at::ScalarType type) {
  return at::arange(256, at::TensorOptions(at::kFloat)).div_(255).to(type);
}

}  // namespace

SampleRows::SampleRows(const HostArray& array, const InputFormat& format)
    : data_(array.data()),
      sample_shape_(array.shape.begin() + 1, array.shape.end()),
      format_(format),
      type_(at::kLong) {
  pixels_ = product(sample_shape_);
  sample_bytes_ = static_cast<std::size_t>(pixels_) * size_of(array.type);
  if (data_.size() != sample_bytes_ * static_cast<std::size_t>(array.shape.front())) {
    throw Error(ErrorKind::kInternal, "a host array has not as many bytes as its shape says");
  }
  if (array.type == ElementType::kInt32) convert_ = widen;
  if (array.type != ElementType::kUint8) return;
  type_ = format.type;
  table_ = byte_table(type_);
  convert_ = converter(table_.itemsize());
  if (!format.is_channels_last || !are_images(sample_shape_)) return;
  channels_ = sample_shape_.front();
  pixels_ /= channels_;
}

at::Tensor SampleRows::empty_batch(std::int64_t count, bool is_pinned) const {
  const auto options = at::TensorOptions(type_).pinned_memory(is_pinned);
  return samples_of(at::empty({count, product(sample_shape_)}, options), sample_shape_, format_);
}

void SampleRows::copy(std::span<const std::int64_t> positions, const at::Tensor& batch) const {
  auto* to = static_cast<std::byte*>(batch.data_ptr());
  const std::size_t row_bytes = static_cast<std::size_t>(product(sample_shape_)) * batch.itemsize();
  for (const std::int64_t position : positions) {
    const std::byte* from = data_.data() + static_cast<std::size_t>(position) * sample_bytes_;
    if (convert_ == nullptr)
      std::memcpy(to, from, row_bytes);
    else
      convert_(from, table_, channels_, pixels_, to);
    to += row_bytes;
  }
}

template <class Element>
void SampleRows::convert(const std::byte* from, const at::Tensor& table, std::int64_t channels,
                         std::int64_t pixels, std::byte* to) {
  const auto* const value_of = static_cast<const Element*>(table.const_data_ptr());
  auto* value = reinterpret_cast<Element*>(to);
  if (channels == 1) {
    for (std::int64_t i = 0; i < pixels; ++i) value[i] = value_of[std::to_integer<std::size_t>(from[i])];
    return;
  }
  for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
    const std::byte* byte = from + pixel;
    for (std::int64_t channel = 0; channel < channels; ++channel, byte += pixels) {
      *value++ = value_of[std::to_integer<std::size_t>(*byte)];
    }
  }
}

void SampleRows::widen(const std::byte* from, const at::Tensor& /*table*/, std::int64_t /*channels*/,
                       std::int64_t count, std::byte* to) {
  auto* const value = reinterpret_cast<std::int64_t*>(to);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int32_t narrow = 0;
    std::memcpy(&narrow, from + i * static_cast<std::int64_t>(sizeof(narrow)), sizeof(narrow));
    value[i] = narrow;
  }
}

/// Types are told apart by their size alone: numbers are looked up, not computed.
SampleRows::Convert SampleRows::converter(std::size_t element_size) {
  switch (element_size) {
    case 2:
      return convert<std::uint16_t>;
    case 4:
      return convert<std::uint32_t>;
    case 8:
      return convert<std::uint64_t>;
  }
  throw Error(ErrorKind::kInternal, "inputs have an unknown floating-point type");
}

}  // namespace gpubench
