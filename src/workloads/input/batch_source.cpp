#include "workloads/input/batch_source.h"

#include <algorithm>
#include <cstring>
#include <span>

#include <ATen/ATen.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/accumulate.h>

#include "engine/plan/plan.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "workloads/input/prefetcher.h"

namespace gpubench {

at::ScalarType scalar_type(ElementType type) {
  if (type == ElementType::kUint8) return at::kByte;
  return type == ElementType::kInt32 ? at::kInt : at::kLong;
}

at::Tensor converted(const at::Tensor& values, at::ScalarType type) {
  // Divides in fp32: a smaller type would round twice.
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
  // Some devices have no random numbers of small types.
  const at::Tensor noise =
      at::rand(shape, options.dtype(at::kFloat)).to(c10::typeMetaToScalarType(options.dtype()));
  return {noise, at::zeros({samples}, whole_numbers)};
}

namespace {

/// Copies the first `count` samples to the device, which converts bytes: a quarter of the traffic of fp32.
at::Tensor upload(const HostArray& array, std::int64_t count, c10::Device device) {
  std::vector<std::int64_t> shape = array.shape;
  shape.front() = count;
  // from_blob needs a mutable pointer, but the view is only read.
  auto* const data = const_cast<std::byte*>(array.data().data());
  const at::Tensor host = at::from_blob(data, shape, scalar_type(array.type));
  return host.to(device, host.scalar_type(), /*non_blocking=*/false, /*copy=*/true);
}

using CopySample = std::function<void(const std::byte* from, std::byte* to)>;

/// Converts the bytes of `channels` planes by a table, and writes the channels of a pixel together.
template <class Element>
CopySample look_up(const at::Tensor& table, std::int64_t channels, std::int64_t pixels) {
  return [=](const std::byte* from, std::byte* to) {
    const auto* const values = static_cast<const Element*>(table.const_data_ptr());
    auto* const written = reinterpret_cast<Element*>(to);
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
        written[pixel * channels + channel] = values[std::to_integer<std::size_t>(*from++)];
    }
  };
}

/// Converts by a table, so that only the size of the type matters, not its arithmetic.
CopySample scale(at::ScalarType type, std::int64_t channels, std::int64_t pixels) {
  const at::Tensor bytes = at::arange(256).to(at::kByte);
  const at::Tensor table = type == at::kByte ? bytes : converted(bytes, type);
  if (table.itemsize() == 1) return look_up<std::uint8_t>(table, channels, pixels);
  return table.itemsize() == 2 ? look_up<std::uint16_t>(table, channels, pixels)
                               : look_up<std::uint32_t>(table, channels, pixels);
}

/// Samples of a host array, which must outlive it. Immutable, so thread-safe.
class SampleRows {
 public:
  /// Batches have the format's strides and, with `is_converted`, converted() values. Throws an internal Error
  /// if the array's size contradicts its shape.
  SampleRows(const HostArray& array, const InputFormat& format, bool is_converted)
      : data_(array.data()),
        sample_shape_(array.shape.begin() + 1, array.shape.end()),
        format_(format),
        type_(!is_converted                       ? scalar_type(array.type)
              : array.type == ElementType::kUint8 ? format.type
                                                  : at::kLong),
        values_(c10::multiply_integers(sample_shape_)),
        sample_bytes_(static_cast<std::size_t>(values_) * c10::elementSize(scalar_type(array.type))) {
    const std::size_t needed = sample_bytes_ * static_cast<std::size_t>(array.shape.front());
    if (data_.size() != needed)
      throw Error(ErrorKind::kInternal, "a host array has {} bytes; its shape needs {}", data_.size(),
                  needed);
    const std::int64_t channels = puts_channels_last(format, sample_shape_) ? sample_shape_.front() : 1;
    if (array.type == ElementType::kUint8 && (is_converted || channels > 1))
      copy_sample_ = scale(type_, channels, values_ / channels);
    else if (array.type == ElementType::kInt32 && is_converted)
      copy_sample_ = [count = values_](const std::byte* from, std::byte* to) {
        std::copy_n(reinterpret_cast<const std::int32_t*>(from), count, reinterpret_cast<std::int64_t*>(to));
      };
    else
      copy_sample_ = [count = sample_bytes_](const std::byte* from, std::byte* to) {
        std::memcpy(to, from, count);
      };
  }

  /// Returns an uninitialized tensor in host memory for `count` samples, with the strides of the format.
  at::Tensor empty_batch(std::int64_t count, bool is_pinned) const {
    const auto options = at::TensorOptions(type_).pinned_memory(is_pinned);
    return make_samples(at::empty({count, values_}, options), sample_shape_, format_);
  }

  /// Copies the samples at `positions` to the front of `batch`, without LibTorch's threads, which train.
  void copy(std::span<const std::int64_t> positions, const at::Tensor& batch) const {
    auto* to = static_cast<std::byte*>(batch.data_ptr());
    for (const std::int64_t position : positions) {
      copy_sample_(data_.data() + static_cast<std::size_t>(position) * sample_bytes_, to);
      to += static_cast<std::size_t>(values_) * batch.itemsize();
    }
  }

 private:
  std::span<const std::byte> data_;
  std::vector<std::int64_t> sample_shape_;
  InputFormat format_;
  at::ScalarType type_;       // Type of batches.
  std::int64_t values_;       // Values per sample.
  std::size_t sample_bytes_;  // Bytes per sample in data_.
  CopySample copy_sample_;
};

class HostSource : public BatchSource {
 public:
  HostSource(const Split& split, std::int64_t limit, c10::Device device, const InputFormat& format,
             std::int64_t batch_size, const Clock& clock, const SampleDraw& draw, Transfer transfer)
      : device_(device),
        transfer_(transfer),
        format_(format),
        size_(used_samples(split.size(), limit)),
        batch_size_(batch_size),
        clock_(clock),
        draw_(draw),
        inputs_(split.inputs, format, /*is_converted=*/transfer == Transfer::kNone),
        targets_(split.targets, format, /*is_converted=*/transfer == Transfer::kNone),
        queued_(device.type()) {
    if (is_queued()) copies_ = c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
    for (std::size_t i = 0; i < kBuffers; ++i) buffers_.push_back(empty_buffer());
  }

  std::int64_t size() const override { return size_; }

  void begin_epoch() override {
    prefetcher_.reset();  // Its thread may still use the order of an unfinished epoch.
    order_ = at::randperm(size_, draw_.generator, at::TensorOptions(at::kLong));
    batches_given_ = 0;
    waited_ = {};
    const std::int64_t batches = (size_ + batch_size_ - 1) / batch_size_;
    prefetcher_ = std::make_unique<Prefetcher>(
        batches, kBuffers, [this](std::size_t buffer, std::int64_t batch) { fill(buffers_[buffer], batch); });
  }

  Batch next(std::int64_t count) override {
    if (!prefetcher_ || count > count_samples(batches_given_))
      throw Error(ErrorKind::kInternal, "next({}): exceeds the samples of the batch", count);
    if (transfer_ == Transfer::kNone && batches_given_ > 0) prefetcher_->release();
    Buffer& buffer = await_buffer();
    const std::int64_t own = draw_.share.size(count);
    ++batches_given_;
    if (transfer_ == Transfer::kNone) {
      // Targets are copied, since scoring reads them later.
      return {buffer.host.inputs.narrow(0, 0, own), buffer.host.targets.narrow(0, 0, own).clone()};
    }
    Batch batch = received(buffer, own);
    prefetcher_->release();
    return batch;
  }

  /// Returns only the time in which the device is idle.
  Measured<Seconds> waited() const override { return waited_; }

 private:
  static constexpr std::size_t kBuffers = 4;
  static constexpr std::chrono::microseconds kPoll{20};

  struct Buffer {
    Batch host;
    Batch device;       // Used for kQueued only, like the events.
    c10::Event copied;  // The copy to the device has finished.
    c10::Event used;    // The training has read the batch.
  };

  bool is_queued() const { return transfer_ == Transfer::kQueued; }

  c10::Stream stream() const { return c10::impl::VirtualGuardImpl(device_.type()).getStream(device_); }

  std::int64_t count_samples(std::int64_t batch) const {
    return std::min(batch_size_, size_ - batch * batch_size_);
  }

  Buffer empty_buffer() const {
    Buffer buffer{
        {inputs_.empty_batch(batch_size_, is_queued()), targets_.empty_batch(batch_size_, is_queued())},
        {},
        c10::Event(device_.type()),
        c10::Event(device_.type())};
    if (!is_queued()) return buffer;
    buffer.device = {at::empty_like(buffer.host.inputs, device_),
                     at::empty_like(buffer.host.targets, device_)};
    // Earlier work on this memory may still be queued.
    buffer.used.record(stream());
    return buffer;
  }

  /// Fills a buffer and, for kQueued, copies it to the device, in the background thread.
  void fill(Buffer& buffer, std::int64_t batch) const {
    const std::int64_t count = count_samples(batch);
    const std::span positions(
        order_.const_data_ptr<std::int64_t>() + batch * batch_size_ + draw_.share.first(count),
        static_cast<std::size_t>(draw_.share.size(count)));
    inputs_.copy(positions, buffer.host.inputs);
    targets_.copy(positions, buffer.host.targets);
    if (!is_queued()) return;
    const c10::StreamGuard on_stream(*copies_);
    buffer.used.block(*copies_);
    buffer.device.inputs.copy_(buffer.host.inputs, /*non_blocking=*/true);
    buffer.device.targets.copy_(buffer.host.targets, /*non_blocking=*/true);
    buffer.copied.record(*copies_);
    // Polls, since the driver's wait would keep a core busy.
    while (!buffer.copied.query()) std::this_thread::sleep_for(kPoll);
  }

  Buffer& await_buffer() {
    if (is_queued() && !prefetcher_->is_ready_within({})) {
      queued_.record(stream());
      while (!queued_.query() && !prefetcher_->is_ready_within(kPoll)) continue;
    }
    const Seconds start = clock_.now();  // The device is idle, or the batch is ready.
    Buffer& buffer = buffers_[prefetcher_->take()];
    waited_ = waited_ + (clock_.now() - start);
    return buffer;
  }

  /// Returns the batch converted on the device: bytes are a quarter of the traffic of fp32.
  Batch received(Buffer& buffer, std::int64_t count) const {
    const auto numbers = [&](const at::Tensor& host, const at::Tensor& sent) {
      const at::Tensor samples =
          is_queued() ? sent.narrow(0, 0, count)
                      : host.narrow(0, 0, count).to(device_, host.scalar_type(), false, /*copy=*/true);
      const at::Tensor made = converted(samples, format_.type);
      return is_queued() && made.is_alias_of(sent) ? made.clone() : made;
    };
    Batch batch{numbers(buffer.host.inputs, buffer.device.inputs),
                numbers(buffer.host.targets, buffer.device.targets)};
    if (is_queued()) buffer.used.record(stream());
    return batch;
  }

  c10::Device device_;
  Transfer transfer_;
  InputFormat format_;
  std::int64_t size_;
  std::int64_t batch_size_;
  const Clock& clock_;
  SampleDraw draw_;
  SampleRows inputs_;
  SampleRows targets_;
  std::vector<Buffer> buffers_;
  c10::Event queued_;                  // End of the work queued before `next`.
  std::optional<c10::Stream> copies_;  // Stream of copies, for kQueued.
  at::Tensor order_;                   // Order of the samples in this epoch.
  std::int64_t batches_given_ = 0;
  Seconds waited_{};
  std::unique_ptr<Prefetcher> prefetcher_;  // Last: its thread uses the members above.
};

}  // namespace

ResidentSplit::ResidentSplit(const Split& split, std::int64_t limit, c10::Device device,
                             const InputFormat& format, const SampleDraw& draw)
    : format_(format), draw_(draw), sample_shape_(split.inputs.shape.begin() + 1, split.inputs.shape.end()) {
  const std::int64_t count = used_samples(split.size(), limit);
  at::Tensor samples = upload(split.inputs, count, device);
  if (puts_channels_last(format, sample_shape_)) samples = samples.permute({0, 2, 3, 1});
  rows_ = converted(samples.reshape({count, -1}), format_.type);
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
  const std::int64_t first = std::exchange(position_, position_ + count) + share().first(count);
  if (draw_.is_in_order) return slice(first, share().size(count));
  return gather(order_.narrow(0, first, share().size(count)));
}

at::Tensor ResidentSplit::draw_order() const {
  const auto options = at::TensorOptions(device()).dtype(at::kLong);
  if (draw_.is_in_order) return at::arange(size(), options);
  if (!device().is_cuda()) return at::randperm(size(), draw_.generator, options);
  // randperm draws short orders on the host and waits. Equal 63-bit keys are rare and harmless.
  return at::empty({size()}, options).random_(draw_.generator).argsort();
}

std::unique_ptr<BatchSource> make_host_source(const Split& split, std::int64_t limit, c10::Device device,
                                              const InputFormat& format, std::int64_t batch_size,
                                              const Clock& clock, const SampleDraw& draw,
                                              std::optional<Transfer> transfer) {
  const Transfer fastest = device.is_cpu()    ? Transfer::kNone
                           : device.is_cuda() ? Transfer::kQueued
                                              : Transfer::kCopied;
  return std::make_unique<HostSource>(split, limit, device, format, batch_size, clock, draw,
                                      transfer.value_or(fastest));
}

}  // namespace gpubench
