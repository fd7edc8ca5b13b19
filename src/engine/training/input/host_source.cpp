#include "engine/training/input/host_source.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/randperm.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "engine/plan/plan.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

constexpr std::size_t kBuffers = 4;
constexpr std::chrono::microseconds kPoll{20};

/// Looks up each byte of `channels` planes of `pixels` each, and writes the channels of a pixel together.
template <class Element>
SampleRows::Convert look_up(const at::Tensor& table, std::int64_t channels, std::int64_t pixels) {
  return [=](const std::byte* from, std::byte* to) {
    const auto* const values = static_cast<const Element*>(table.const_data_ptr());
    auto* value = reinterpret_cast<Element*>(to);
    if (channels == 1) {
      for (std::int64_t i = 0; i < pixels; ++i) value[i] = values[std::to_integer<std::size_t>(from[i])];
      return;
    }
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
      const std::byte* byte = from + pixel;
      for (std::int64_t channel = 0; channel < channels; ++channel, byte += pixels) {
        *value++ = values[std::to_integer<std::size_t>(*byte)];
      }
    }
  };
}

/// Looks numbers up instead of computing them, so that only the size of their type matters.
SampleRows::Convert scale(at::ScalarType type, std::int64_t channels, std::int64_t pixels) {
  const at::Tensor bytes = at::arange(256).to(at::kByte);
  const at::Tensor table = type == at::kByte ? bytes : converted(bytes, type);
  switch (table.itemsize()) {
    case 1:
      return look_up<std::uint8_t>(table, channels, pixels);
    case 2:
      return look_up<std::uint16_t>(table, channels, pixels);
    case 4:
      return look_up<std::uint32_t>(table, channels, pixels);
  }
  throw Error(ErrorKind::kInternal, "inputs have an unknown floating-point type");
}

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

SampleRows::SampleRows(const HostArray& array, const InputFormat& format, bool is_converted)
    : data_(array.data()),
      sample_shape_(array.shape.begin() + 1, array.shape.end()),
      format_(format),
      type_(!is_converted                       ? scalar_type(array.type)
            : array.type == ElementType::kUint8 ? format.type
                                                : at::kLong),
      values_(
          std::accumulate(sample_shape_.begin(), sample_shape_.end(), std::int64_t{1}, std::multiplies<>())),
      sample_bytes_(static_cast<std::size_t>(values_) * c10::elementSize(scalar_type(array.type))) {
  if (data_.size() != sample_bytes_ * static_cast<std::size_t>(array.shape.front())) {
    throw Error(ErrorKind::kInternal, "a host array has not as many bytes as its shape says");
  }
  const std::int64_t channels = puts_channels_last(format, sample_shape_) ? sample_shape_.front() : 1;
  if (array.type == ElementType::kUint8 && (is_converted || channels > 1))
    convert_ = scale(type_, channels, values_ / channels);
  else if (array.type == ElementType::kInt32 && is_converted)
    convert_ = widen(values_);
  else
    convert_ = [count = sample_bytes_](const std::byte* from, std::byte* to) {
      std::memcpy(to, from, count);
    };
}

at::Tensor SampleRows::empty_batch(std::int64_t count, bool is_pinned) const {
  const auto options = at::TensorOptions(type_).pinned_memory(is_pinned);
  return make_samples(at::empty({count, values_}, options), sample_shape_, format_);
}

void SampleRows::copy(std::span<const std::int64_t> positions, const at::Tensor& batch) const {
  auto* to = static_cast<std::byte*>(batch.data_ptr());
  for (const std::int64_t position : positions) {
    convert_(data_.data() + static_cast<std::size_t>(position) * sample_bytes_, to);
    to += static_cast<std::size_t>(values_) * batch.itemsize();
  }
}

HostSource::HostSource(const Split& split, std::int64_t limit, c10::Device device, const InputFormat& format,
                       std::int64_t batch_size, const Clock& clock, const SampleDraw& draw,
                       std::optional<Transfer> transfer)
    : device_(device),
      transfer_(transfer.value_or(device.is_cpu()    ? Transfer::kNone
                                  : device.is_cuda() ? Transfer::kQueued
                                                     : Transfer::kCopied)),
      format_(format),
      size_(used_samples(split.size(), limit)),
      batch_size_(batch_size),
      clock_(clock),
      draw_(draw),
      inputs_(split.inputs, format, /*is_converted=*/transfer_ == Transfer::kNone),
      targets_(split.targets, format, /*is_converted=*/transfer_ == Transfer::kNone),
      queued_(device.type()) {
  if (transfer_ == Transfer::kQueued) {
    copies_ = c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
  }
  for (std::size_t i = 0; i < kBuffers; ++i) buffers_.push_back(empty_buffer());
}

HostSource::Buffer HostSource::empty_buffer() const {
  const bool is_queued = transfer_ == Transfer::kQueued;
  Buffer buffer{{inputs_.empty_batch(batch_size_, is_queued), targets_.empty_batch(batch_size_, is_queued)},
                {},
                c10::Event(device_.type()),
                c10::Event(device_.type())};
  if (!is_queued) return buffer;
  buffer.device = {at::empty_like(buffer.host.inputs, device_), at::empty_like(buffer.host.targets, device_)};
  // Earlier work on this memory may still be queued.
  buffer.used.record(stream());
  return buffer;
}

void HostSource::begin_epoch() {
  prefetcher_.reset();  // It may still use the order of an epoch that was left half-way.
  order_ = at::randperm(size_, draw_.generator, at::TensorOptions(at::kLong));
  batches_given_ = 0;
  waited_ = {};
  const std::int64_t batches = (size_ + batch_size_ - 1) / batch_size_;
  prefetcher_ = std::make_unique<Prefetcher>(
      batches, kBuffers, [this](std::size_t buffer, std::int64_t batch) { fill(buffers_[buffer], batch); });
}

Batch HostSource::next(std::int64_t count) {
  if (!prefetcher_) throw Error(ErrorKind::kInternal, "a batch was asked for before an epoch began");
  if (count < 1 || count > count_samples(batches_given_)) {
    throw Error(ErrorKind::kInternal, "more samples were asked for than the next batch has");
  }
  if (transfer_ == Transfer::kNone && batches_given_ > 0) prefetcher_->release();
  Buffer& buffer = await_buffer();
  const std::int64_t own = draw_.share.size(count);
  ++batches_given_;
  if (transfer_ == Transfer::kNone) {
    // Targets are read again when steps are scored.
    return {buffer.host.inputs.narrow(0, 0, own), buffer.host.targets.narrow(0, 0, own).clone()};
  }
  Batch batch = received(buffer, own);
  prefetcher_->release();
  return batch;
}

std::int64_t HostSource::count_samples(std::int64_t batch) const {
  return std::min(batch_size_, size_ - batch * batch_size_);
}

/// Called in the background.
void HostSource::fill(Buffer& buffer, std::int64_t batch) const {
  const std::int64_t count = count_samples(batch);
  const std::span positions(
      order_.const_data_ptr<std::int64_t>() + batch * batch_size_ + draw_.share.first(count),
      static_cast<std::size_t>(draw_.share.size(count)));
  inputs_.copy(positions, buffer.host.inputs);
  targets_.copy(positions, buffer.host.targets);
  if (transfer_ == Transfer::kQueued) send(buffer);
}

/// Called in the background. Returns when the batch is on the device.
void HostSource::send(Buffer& buffer) const {
  const c10::StreamGuard on_stream(*copies_);
  buffer.used.block(*copies_);
  buffer.device.inputs.copy_(buffer.host.inputs, /*non_blocking=*/true);
  buffer.device.targets.copy_(buffer.host.targets, /*non_blocking=*/true);
  buffer.copied.record(*copies_);
  // Polls, since the driver's own wait would spin on a core that others need.
  while (!buffer.copied.query()) std::this_thread::sleep_for(kPoll);
}

HostSource::Buffer& HostSource::await_buffer() {
  if (transfer_ == Transfer::kQueued && !prefetcher_->is_ready_within({})) {
    queued_.record(stream());
    while (!queued_.query() && !prefetcher_->is_ready_within(kPoll)) continue;
  }
  const Seconds start = clock_.now();  // The device is idle, or the batch is there.
  Buffer& buffer = buffers_[prefetcher_->take()];
  waited_ = waited_ + (clock_.now() - start);
  return buffer;
}

/// Converts on the device, so that a quarter of the bytes is transferred.
Batch HostSource::received(Buffer& buffer, std::int64_t count) const {
  const bool is_queued = transfer_ == Transfer::kQueued;
  const auto numbers = [&](const at::Tensor& host, const at::Tensor& sent) {
    const at::Tensor samples =
        is_queued ? sent.narrow(0, 0, count)
                  : host.narrow(0, 0, count).to(device_, host.scalar_type(), false, /*copy=*/true);
    const at::Tensor made = converted(samples, format_.type);
    return is_queued && made.is_alias_of(sent) ? made.clone() : made;
  };
  Batch batch{numbers(buffer.host.inputs, buffer.device.inputs),
              numbers(buffer.host.targets, buffer.device.targets)};
  if (is_queued) buffer.used.record(stream());
  return batch;
}

c10::Stream HostSource::stream() const {
  return c10::impl::VirtualGuardImpl(device_.type()).getStream(device_);
}

}  // namespace gpubench
