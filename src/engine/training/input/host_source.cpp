#include "engine/training/input/host_source.h"

#include <algorithm>
#include <thread>

#include <ATen/ops/randperm.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "engine/plan/plan.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

constexpr std::size_t kBuffers = 4;
constexpr std::chrono::microseconds kPoll{20};

}  // namespace

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

HostSource::~HostSource() = default;

void HostSource::begin_epoch() {
  prefetcher_.reset();  // It may still use the order of an epoch that was left half-way.
  order_ = at::randperm(size_, at::TensorOptions(at::kLong));
  batches_given_ = 0;
  is_buffer_lent_ = false;
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
  if (is_buffer_lent_) prefetcher_->release();
  is_buffer_lent_ = false;
  Buffer& buffer = await_buffer();
  ++batches_given_;
  if (!device_.is_cpu()) return upload(buffer, count);
  is_buffer_lent_ = true;
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
