#include "engine/training/input/host_source.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <thread>

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randperm.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "engine/plan/plan.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

constexpr std::size_t kBuffers = 4;
constexpr std::chrono::microseconds kPoll{20};

/// The same operations as on a device, so that the numbers are the same to the last bit.
at::Tensor byte_table(at::ScalarType type) {
  return at::arange(256, at::TensorOptions(at::kFloat)).div_(255).to(type);
}

/// What `table` has for each byte of `channels` planes of `pixels` each, the channels of a pixel together.
template <class Element>
SampleRows::Convert look_up(const at::Tensor& table, std::int64_t channels, std::int64_t pixels) {
  return [=](const std::byte* from, std::byte* to) {
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
  };
}

/// Types are told apart by their size alone: numbers are looked up, not computed.
SampleRows::Convert scale(const at::Tensor& table, std::int64_t channels, std::int64_t pixels) {
  switch (table.itemsize()) {
    case 2:
      return look_up<std::uint16_t>(table, channels, pixels);
    case 4:
      return look_up<std::uint32_t>(table, channels, pixels);
    case 8:
      return look_up<std::uint64_t>(table, channels, pixels);
  }
  throw Error(ErrorKind::kInternal, "inputs have an unknown floating-point type");
}

/// int32 to int64.
SampleRows::Convert widen(std::int64_t count) {
  return [=](const std::byte* from, std::byte* to) {
    auto* const value = reinterpret_cast<std::int64_t*>(to);
    for (std::int64_t i = 0; i < count; ++i) {
      std::int32_t narrow = 0;
      std::memcpy(&narrow, from + i * static_cast<std::int64_t>(sizeof(narrow)), sizeof(narrow));
      value[i] = narrow;
    }
  };
}

}  // namespace

SampleRows::SampleRows(const HostArray& array, const InputFormat& format)
    : data_(array.data()),
      sample_shape_(array.shape.begin() + 1, array.shape.end()),
      format_(format),
      type_(array.type == ElementType::kUint8 ? format.type : at::kLong),
      values_(
          std::accumulate(sample_shape_.begin(), sample_shape_.end(), std::int64_t{1}, std::multiplies<>())),
      sample_bytes_(static_cast<std::size_t>(values_) * c10::elementSize(scalar_type(array.type))) {
  if (data_.size() != sample_bytes_ * static_cast<std::size_t>(array.shape.front())) {
    throw Error(ErrorKind::kInternal, "a host array has not as many bytes as its shape says");
  }
  if (array.type == ElementType::kInt32) convert_ = widen(values_);
  if (array.type == ElementType::kInt64) {
    convert_ = [bytes = sample_bytes_](const std::byte* from, std::byte* to) {
      std::memcpy(to, from, bytes);
    };
  }
  if (array.type != ElementType::kUint8) return;
  const std::int64_t channels = puts_channels_last(format, sample_shape_) ? sample_shape_.front() : 1;
  convert_ = scale(byte_table(type_), channels, values_ / channels);
}

at::Tensor SampleRows::empty_batch(std::int64_t count, bool is_pinned) const {
  const auto options = at::TensorOptions(type_).pinned_memory(is_pinned);
  return samples_of(at::empty({count, values_}, options), sample_shape_, format_);
}

void SampleRows::copy(std::span<const std::int64_t> positions, const at::Tensor& batch) const {
  auto* to = static_cast<std::byte*>(batch.data_ptr());
  for (const std::int64_t position : positions) {
    convert_(data_.data() + static_cast<std::size_t>(position) * sample_bytes_, to);
    to += static_cast<std::size_t>(values_) * batch.itemsize();
  }
}

HostSource::HostSource(const Split& split, std::int64_t limit, c10::Device device, const InputFormat& format,
                       std::int64_t batch_size, const Clock& clock)
    : device_(device),
      is_queued_(device.is_cuda()),
      size_(used_samples(split.size(), limit)),
      batch_size_(batch_size),
      clock_(clock),
      inputs_(split.inputs, format),
      targets_(split.targets, format),
      queued_(device.type()) {
  for (std::size_t i = 0; i < kBuffers; ++i) {
    buffers_.push_back({inputs_.empty_batch(batch_size, is_queued_),
                        targets_.empty_batch(batch_size, is_queued_), c10::Event(device.type())});
  }
}

void HostSource::begin_epoch() {
  prefetcher_.reset();  // It may still use the order of an epoch that was left half-way.
  order_ = at::randperm(size_, at::TensorOptions(at::kLong));
  batches_given_ = 0;
  waited_ = {};
  const std::int64_t batches = (size_ + batch_size_ - 1) / batch_size_;
  prefetcher_ = std::make_unique<Prefetcher>(
      batches, kBuffers, [this](std::size_t buffer, std::int64_t batch) { fill(buffers_[buffer], batch); });
}

Batch HostSource::next(std::int64_t count) {
  if (!prefetcher_) throw Error(ErrorKind::kInternal, "a batch was asked for before an epoch began");
  if (count < 1 || count > samples_of(batches_given_)) {
    throw Error(ErrorKind::kInternal, "more samples were asked for than the next batch has");
  }
  if (device_.is_cpu() && batches_given_ > 0) prefetcher_->release();
  Buffer& buffer = await_buffer();
  ++batches_given_;
  if (!device_.is_cpu()) return upload(buffer, count);
  return {buffer.inputs.narrow(0, 0, count), buffer.targets.narrow(0, 0, count)};
}

std::int64_t HostSource::samples_of(std::int64_t batch) const {
  return std::min(batch_size_, size_ - batch * batch_size_);
}

/// In the background.
void HostSource::fill(Buffer& buffer, std::int64_t batch) const {
  const c10::DeviceGuard on_device(device_);
  // Looked at now and then: in the driver's own wait this thread would spin on a core that others need.
  while (!buffer.copied.query()) std::this_thread::sleep_for(kPoll);
  const std::span positions(order_.const_data_ptr<std::int64_t>() + batch * batch_size_,
                            static_cast<std::size_t>(samples_of(batch)));
  inputs_.copy(positions, buffer.inputs);
  targets_.copy(positions, buffer.targets);
}

HostSource::Buffer& HostSource::await_buffer() {
  const Seconds start = is_queued_ ? end_of_queued_work() : clock_.now();
  Buffer& buffer = buffers_[prefetcher_->take()];
  waited_ = waited_ + (clock_.now() - start);
  return buffer;
}

/// Waits until the device has done what is queued on it or the next batch is there, and says when that was.
Seconds HostSource::end_of_queued_work() {
  if (prefetcher_->is_ready_within({})) return clock_.now();
  queued_.record(stream());
  while (!queued_.query() && !prefetcher_->is_ready_within(kPoll)) continue;
  return clock_.now();
}

Batch HostSource::upload(Buffer& buffer, std::int64_t count) {
  const auto to_device = [&](const at::Tensor& samples) {
    return samples.narrow(0, 0, count).to(device_, samples.scalar_type(), is_queued_, /*copy=*/true);
  };
  const Batch batch = {to_device(buffer.inputs), to_device(buffer.targets)};
  if (is_queued_) buffer.copied.record(stream());
  prefetcher_->release();
  return batch;
}

c10::Stream HostSource::stream() const {
  return c10::impl::VirtualGuardImpl(device_.type()).getStream(device_);
}

}  // namespace gpubench
